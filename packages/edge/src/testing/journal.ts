/** Fills a journal: `node journal.ts <data folder> <channel id> <count>`. A second between records, the last one now. */
import { join } from 'node:path'
import { Journal } from '../journal.ts'
import { keepingLog, testRecord } from './records.ts'

const [folder = '', channel_id = '', count = '0'] = process.argv.slice(2)
const journal = new Journal(join(folder, 'journal.db'), { log: keepingLog() })
const now = Date.now()
for (let left = Number(count) - 1; left >= 0; left--)
  journal.append([testRecord({ channel_id, observed_at: now - left * 1000, observed_ms: 1000 })])
journal.close()
