/** What people see in the browser: how heavy the first screens are, and how fast the dashboard is with a full store. */
import { usecaseKeys } from '@sightline/domain'
import { freePort } from '../e2e/product.ts'
import { dashboard } from './dashboard.ts'
import { frontend } from './frontend.ts'
import { channelsStored, storeHistory } from './history.ts'
import type { Figure } from './measure.ts'
import { startPortal } from './process.ts'
import type { Run } from './run.ts'
import { seedStore } from './store.ts'

const devices = 12
const perDevice = channelsStored / devices

export async function screens(run: Run): Promise<Figure[]> {
  const dataDir = run.folder()
  const nimblePort = await freePort()
  let events = 0
  const begun = performance.now()
  const store = await seedStore({
    dataDir,
    nimblePort,
    cameras: Array.from({ length: devices }, (_, device) => ({
      name: `Camera ${device + 1}`,
      address: `rtsp://198.51.100.${device + 1}/`,
      usecases: Array.from(
        { length: perDevice },
        (_, i) => usecaseKeys[(device * perDevice + i) % devices] as 'pplcnt',
      ),
    })),
    async more(db, seeded) {
      events = await storeHistory(db, seeded, dataDir, run.quick ? 60 : 1)
    },
  })
  run.say(`${events.toLocaleString('en')} events stored in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  const portal = await startPortal(run, { dataDir, nimblePort })
  const stored = { dataDir, portal, store, events }
  return [...(await dashboard(run, stored)), ...(await frontend(run, stored))]
}
