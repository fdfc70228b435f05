/** A nimble with one camera, to be killed: tells the camera process's id when it has a picture. */
import { nothingKnown } from '../address.ts'
import { startCamera } from '../camera.ts'

const address = process.argv[2] as string
const camera = startCamera(
  {
    source_id: '01890000-0000-7000-8000-0000000000a1',
    address,
    username: null,
    password: null,
    known: () => ({ ...nothingKnown, simulated: [{ host: '127.0.0.1', ports: [Number(new URL(address).port)] }] }),
    analysis: null,
  },
  {
    onState: ({ state }) => {
      if (state === 'streaming') process.send?.(camera.pid())
    },
    log: console.error,
  },
)
