export {
  type CameraOptions,
  type DemoCamera,
  type Fault,
  faults,
  type SimulatedCamera,
  startCamera,
} from './camera.ts'
export { type Discovery, openDiscovery } from './discovery.ts'
export { type SceneName, sceneNames } from './scene.ts'
export { type Pixel, type Truth, type TruthPerson, truthOf } from './truth.ts'
