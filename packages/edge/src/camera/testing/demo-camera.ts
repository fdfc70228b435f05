import { startCamera } from '@sightline/simcam'
import { onTestFinished } from 'vitest'

/** Every character that breaks an address put together carelessly. */
export const odd = { username: 'ad/m@in', password: 'p@ss:w/rd#1^!%é' }

type Options = Partial<Parameters<typeof startCamera>[0]>

/** The product's own simulated camera on a free port, until the test ends. */
export async function startDemoCamera(options: Options = {}) {
  const { scene = 'corridor', username = '', password = '' } = options
  const demo = await startCamera({
    host: '127.0.0.1',
    name: 'Test',
    uuid: '01890000-0000-7000-8000-0000000000d1',
    ...options,
    scene,
    username,
    password,
  })
  onTestFinished(() => demo.stop())
  return { ...demo, setFault: demo.setFault, address: demo.camera.stream_address, port: demo.camera.rtsp_port }
}
