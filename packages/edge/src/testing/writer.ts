/** A process that journals without end, to be killed: `node writer.ts <file>`. Tells how many records are durable. */
import { Journal } from '../journal.ts'
import { keepingLog, testRecord } from './records.ts'

const journal = new Journal(process.argv[2] as string, { log: keepingLog(), groupMs: 5 })
let written = 0
setInterval(() => {
  for (let group = 0; group < 20; group++) {
    journal.append(Array.from({ length: 10 }, (_, index) => testRecord({ observed_ms: written + index })))
    written += 10
    journal.flush()
    process.send?.(written)
  }
}, 1)
process.on('disconnect', () => process.exit())
