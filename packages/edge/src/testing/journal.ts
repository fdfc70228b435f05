/** Fills a journal: `node journal.ts <data folder> <channel id> <count> [ms between records, 1000]`. The last one is of now. */
import { join } from 'node:path'
import { Journal } from '../journal.ts'
import { keepingLog, testRecord } from './records.ts'

const [folder = '', channel_id = '', count = '0', stepMs = '1000'] = process.argv.slice(2)
const journal = new Journal(join(folder, 'journal.db'), { log: keepingLog() })
const now = Date.now()
for (let left = Number(count) - 1; left >= 0; left--)
  journal.append([testRecord({ channel_id, observed_at: now - left * Number(stepMs), observed_ms: 1000 })])
journal.close()
