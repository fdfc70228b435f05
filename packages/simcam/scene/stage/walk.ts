/** How somebody walks along a path: rounded corners, starting and stopping as a body does. */
import * as THREE from 'three'
import { modelHeight } from './person.ts'

export type Walk = {
  /** Second of the loop at which it begins. */
  start: number
  /** Points on the floor. */
  path: [x: number, z: number][]
  /** Metres per second. */
  speed?: number
  /** `at`: share of the way; `seconds`: how long. */
  stops?: { at: number; seconds: number }[]
}

export type Moment = { x: number; z: number; heading: number; phase: number; vigour: number }

const acceleration = 1.6
const defaultSpeed = 1.25
const stepSeconds = 1 / 60
const tooLong = 300
/** Two steps of somebody of the model's height, in metres. */
const strideLength = 1.42

/** @returns where the walker is `t` seconds after the start; null before and after the walk */
export function walker({ path, speed = defaultSpeed, stops = [] }: Walk, height: number): (t: number) => Moment | null {
  const curve = new THREE.CatmullRomCurve3(
    path.map(([x, z]) => new THREE.Vector3(x, 0, z)),
    false,
    'catmullrom',
    0.35,
  )
  curve.arcLengthDivisions = 800
  const length = curve.getLength()
  const timetable = drive(
    length,
    speed,
    stops.map(({ at, seconds }) => ({ distance: at * length, seconds })),
  )
  const seconds = timetable.length * stepSeconds
  const stride = strideLength * (height / modelHeight)

  return (t) => {
    if (t < 0 || t >= seconds) return null
    const step = Math.min(timetable.length - 1, Math.floor(t / stepSeconds))
    const part = t / stepSeconds - Math.floor(t / stepSeconds)
    const [from, to] = [timetable[step], timetable[Math.min(timetable.length - 1, step + 1)]] as [Step, Step]
    const distance = from.distance + (to.distance - from.distance) * part
    const velocity = from.velocity + (to.velocity - from.velocity) * part
    const here = curve.getPointAt(Math.min(1, distance / length))
    const behind = curve.getPointAt(Math.max(0, (distance - 0.25) / length))
    const ahead = curve.getPointAt(Math.min(1, (distance + 0.25) / length))
    return {
      x: here.x,
      z: here.z,
      heading: Math.atan2(ahead.x - behind.x, ahead.z - behind.z),
      phase: (distance / stride) * 2 * Math.PI,
      vigour: Math.min(1, velocity / (0.75 * speed)),
    }
  }
}

type Step = { distance: number; velocity: number }

/** Distance and speed at each step of time, braking in time for each stop. */
function drive(length: number, speed: number, stops: { distance: number; seconds: number }[]): Step[] {
  const timetable: Step[] = []
  const ahead = [...stops].sort((a, b) => a.distance - b.distance)
  let distance = 0
  let velocity = speed
  let waiting = 0
  for (let t = 0; distance < length && t < tooLong; t += stepSeconds) {
    timetable.push({ distance, velocity })
    const [next] = ahead
    if (waiting > 0) {
      waiting -= stepSeconds
      velocity = 0
      if (waiting <= 0) ahead.shift()
    } else {
      const left = next ? next.distance - distance : Number.POSITIVE_INFINITY
      const allowed = Math.min(speed, Math.sqrt(Math.max(0, 2 * acceleration * left)) + 0.02)
      velocity = velocity > allowed ? allowed : Math.min(allowed, velocity + acceleration * stepSeconds)
      if (next && left < 0.015) {
        waiting = next.seconds
        velocity = 0
      }
    }
    distance += velocity * stepSeconds
  }
  return timetable
}
