/** An analysis worker: a thread with an OpenCV heap of its own, to which cameras send their pictures. */
import { randomBytes } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { listenForFrames } from '../camera/frames.ts'
import { logModelsTo } from '../model/inference.ts'
import { type Analysed, createAnalyzer, type Frame } from './analyzer.ts'
import type { FromWorker, ToWorker, WorkFigures } from './messages.ts'
import { loadOpenCv, openCvError } from './opencv.ts'
import type { Carried } from './usecase/usecase.ts'

const beatMs = 1000
/** A camera whose pictures fail this often in a row is tried again only now and then. */
const mostFailures = 5
const retryMs = 10_000

const main = parentPort
if (!main) throw new Error('worker.ts is to be started as a worker thread')

const cv = await loadOpenCv()
const carried = new Map<string, Carried>()
const analyzer = createAnalyzer({ cv, random: () => randomBytes(10), carried: (id) => carried.get(id) ?? null })
let work: WorkFigures = { frames: 0, busyMs: 0 }
/** Of each camera when its last picture was tried, and how many failed in a row. */
const tried = new Map<string, { at: number; failures: number }>()
let isSpoilt = false

const tell = (message: FromWorker) => main.postMessage(message)
logModelsTo((text) => tell({ type: 'log', text }))

function report({ records, overlay, states }: Analysed, frame: Frame | null): void {
  if (states.length > 0) tell({ type: 'states', states })
  if (overlay) tell({ type: 'overlay', overlay })
  if (records.length === 0) return
  noteCarried()
  const told = new Set(records.map(({ channel_id }) => channel_id))
  tell({
    type: 'records',
    source_id: frame?.source_id ?? null,
    at: frame?.at ?? Date.now(),
    pts_ms: frame?.pts_ms ?? null,
    records,
    carried: [...carried].filter(([id]) => told.has(id)),
  })
}

function take(frame: Frame): boolean {
  const begun = performance.now()
  const { at, failures } = tried.get(frame.source_id) ?? { at: begun, failures: 0 }
  if (failures >= mostFailures && begun - at < retryMs) return false
  let isStill = false
  try {
    const analysed = analyzer.frame(frame)
    report(analysed, frame)
    isStill = analysed.isStill
    tried.set(frame.source_id, { at: begun, failures: 0 })
  } catch (thrown) {
    tried.set(frame.source_id, { at: begun, failures: failures + 1 })
    report(analyzer.reset(frame.source_id, frame.at), frame)
    failed(frame.source_id, failures + 1, openCvError(cv, thrown))
  }
  work = { frames: work.frames + 1, busyMs: work.busyMs + performance.now() - begun }
  return isStill
}

/**
 * Where other cameras' pictures are analysed it is this camera that is at fault, and it must not take them along. Where
 * none is the heap may be spoilt: the worker ends, and main starts a new one.
 */
function failed(sourceId: string, times: number, error: Error): void {
  const now = performance.now()
  const isAlone = [...tried.values()].some(({ at, failures }) => failures === 0 && now - at < retryMs)
  isSpoilt = times >= mostFailures && !isAlone
  if (isSpoilt) throw error
  if (times === 1) tell({ type: 'log', text: `A picture could not be analysed: ${error.message}` })
  if (times === mostFailures)
    tell({ type: 'log', text: `No picture of the stream ${sourceId} can be analysed: it is tried again now and then` })
}

const listener = await listenForFrames(take, (error) => {
  // What `take` threw is more than a bad picture; what the socket threw is the camera process's affair.
  if (isSpoilt) throw error
  tell({ type: 'log', text: `The pictures of a camera broke off: ${error.message}` })
})

const beating = setInterval(() => {
  report(analyzer.pass(Date.now()), null)
  noteCarried()
  tell({ type: 'beat', states: analyzer.states(), carried: [...carried], work })
  work = { frames: 0, busyMs: 0 }
}, beatMs)

/** A channel that is taken away may come back. */
function noteCarried(): void {
  for (const [id, one] of analyzer.carried()) if (one) carried.set(id, one)
}

main.on('message', (message: ToWorker) => {
  if (message.type === 'channels') {
    noteCarried()
    // What failed may go well now.
    for (const [id, { failures }] of tried) if (failures > 0) tried.delete(id)
    for (const [id, one] of message.carried) if (one.at > (carried.get(id)?.at ?? 0)) carried.set(id, one)
    report(analyzer.setChannels(message.channels, Date.now()), null)
  } else if (message.type === 'pace') analyzer.setPace(message.source_id, message.pace)
  else if (message.type === 'occupancy.set') {
    const set = analyzer.setOccupancy(message.channel_id, message.occupancy, Date.now())
    if (set) report(set, null)
    tell({ type: 'occupancy.done', id: message.id, isSet: set !== null, before: set?.before ?? null })
  } else void stop()
})

async function stop(): Promise<void> {
  clearInterval(beating)
  await listener.close()
  report({ records: analyzer.stop(Date.now(), 'restart'), overlay: null, states: [], isStill: false }, null)
  tell({ type: 'stopped' })
  main?.close()
}

tell({ type: 'ready', socket: listener.socket })
