/** What the sets are built of: boxes, floors, painted surfaces. Lengths are metres; x right, y up, z toward the camera. */
import * as THREE from 'three'
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js'

export type Random = () => number
export type Size = [width: number, height: number, depth: number]
/** Of the middle of a thing's underside. */
export type Spot = [x: number, y: number, z: number]
/** A colour, or a material that is shared. */
export type Surface = string | THREE.Material
type Look = THREE.MeshStandardMaterialParameters

/** Paints a surface of `width` × `height` pixels. */
export type Painter = (canvas: CanvasRenderingContext2D, width: number, height: number) => void
export type Painting = { paint: Painter; pixels?: [number, number]; repeat?: [number, number] }

/** Mulberry32: the same numbers for the same seed, so that a scene is the same picture each time. */
export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export const material = (color: string, look: Look = {}): THREE.MeshStandardMaterial =>
  new THREE.MeshStandardMaterial({ color, roughness: 0.85, metalness: 0.02, ...look })

const dressed = (surface: Surface, look?: Look): THREE.Material =>
  typeof surface === 'string' ? material(surface, look) : surface

export function solid(geometry: THREE.BufferGeometry, surface: THREE.Material): THREE.Mesh {
  const mesh = new THREE.Mesh(geometry, surface)
  mesh.castShadow = true
  mesh.receiveShadow = true
  return mesh
}

export function box(parent: THREE.Object3D, size: Size, at: Spot, surface: Surface, look?: Look): THREE.Mesh {
  return stand(parent, solid(new THREE.BoxGeometry(...size), dressed(surface, look)), size, at)
}

export function roundedBox(
  parent: THREE.Object3D,
  size: Size,
  at: Spot,
  surface: Surface,
  look: Look = {},
  radius = 0.04,
): THREE.Mesh {
  return stand(parent, solid(new RoundedBoxGeometry(...size, 3, radius), dressed(surface, look)), size, at)
}

function stand(parent: THREE.Object3D, mesh: THREE.Mesh, size: Size, [x, y, z]: Spot): THREE.Mesh {
  mesh.position.set(x, y + size[1] / 2, z)
  parent.add(mesh)
  return mesh
}

/** A horizontal surface around (x, z). */
export function ground(
  parent: THREE.Object3D,
  [width, depth]: [number, number],
  [x, y, z]: Spot,
  painting: Painting,
  look: Look = {},
): void {
  const surface = new THREE.MeshStandardMaterial({ map: texture(painting), roughness: 0.75, ...look })
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(width, depth), surface)
  mesh.receiveShadow = true
  mesh.rotation.x = -Math.PI / 2
  mesh.position.set(x, y, z)
  parent.add(mesh)
}

export function texture({ paint, pixels = [512, 512], repeat = [1, 1] }: Painting): THREE.CanvasTexture {
  const canvas = document.createElement('canvas')
  ;[canvas.width, canvas.height] = pixels
  paint(canvas.getContext('2d') as CanvasRenderingContext2D, ...pixels)
  const made = new THREE.CanvasTexture(canvas)
  made.wrapS = THREE.RepeatWrapping
  made.wrapT = THREE.RepeatWrapping
  made.repeat.set(...repeat)
  made.colorSpace = THREE.SRGBColorSpace
  made.anisotropy = 8
  return made
}

/* ── painters ────────────────────────────────────────────────────────────────────────── */

export const fill = (canvas: CanvasRenderingContext2D, color: string, width: number, height: number): void => {
  canvas.fillStyle = color
  canvas.fillRect(0, 0, width, height)
}

/** Fine light and dark dots: no real surface is of one colour. */
export function speckle(random: Random, count: number, strength: number, size = 4): Painter {
  return (canvas, width, height) => {
    for (let i = 0; i < count; i++) {
      const level = random() > 0.5 ? 255 : 0
      canvas.fillStyle = `rgba(${level},${level},${level},${random() * strength})`
      canvas.fillRect(random() * width, random() * height, 1 + random() * size, 1 + random() * size)
    }
  }
}

/** Soft light and dark patches. */
export function stain(random: Random, count: number, strength: number): Painter {
  return (canvas, width, height) => {
    for (let i = 0; i < count; i++) {
      const [x, y] = [random() * width, random() * height]
      const radius = width * (0.05 + random() * 0.2)
      const level = random() > 0.5 ? 255 : 0
      const gradient = canvas.createRadialGradient(x, y, 0, x, y, radius)
      gradient.addColorStop(0, `rgba(${level},${level},${level},${strength})`)
      gradient.addColorStop(1, `rgba(${level},${level},${level},0)`)
      canvas.fillStyle = gradient
      canvas.fillRect(x - radius, y - radius, 2 * radius, 2 * radius)
    }
  }
}

export function tiles(random: Random, color: string, grout: string, count: number): Painter {
  return (canvas, width, height) => {
    fill(canvas, color, width, height)
    const tile = width / count
    for (let i = 0; i < count; i++)
      for (let j = 0; j < count; j++) {
        const level = random() > 0.5 ? 255 : 0
        canvas.fillStyle = `rgba(${level},${level},${level},${random() * 0.05})`
        canvas.fillRect(i * tile, j * tile, tile, tile)
      }
    speckle(random, 5000, 0.05, 3)(canvas, width, height)
    canvas.strokeStyle = grout
    canvas.lineWidth = 1.5
    for (let i = 0; i <= count; i++) {
      strokeLines(canvas, [i * tile, 0, i * tile, height], [0, i * tile, width, i * tile])
    }
  }
}

export function plaster(random: Random, color: string): Painter {
  return (canvas, width, height) => {
    fill(canvas, color, width, height)
    stain(random, 14, 0.03)(canvas, width, height)
    speckle(random, 3000, 0.035, 3)(canvas, width, height)
  }
}

type Line = [x0: number, y0: number, x1: number, y1: number]

/** In one stroke: where lines cross, a translucent colour is laid on once. */
export function strokeLines(canvas: CanvasRenderingContext2D, ...lines: Line[]): void {
  canvas.beginPath()
  for (const [x0, y0, x1, y1] of lines) {
    canvas.moveTo(x0, y0)
    canvas.lineTo(x1, y1)
  }
  canvas.stroke()
}
