import * as z from 'zod'
import { op } from './op.ts'

export const demoFaults = ['none', 'stall', 'cut', 'password', 'h265', 'mjpeg', 'black'] as const

export const demoCamera = z
  .object({
    name: z.string(),
    scene: z.string(),
    UUID: z.string(),
    host: z.string(),
    rtsp_port: z.int(),
    onvif_port: z.int(),
    stream_address: z.string(),
    xaddr: z.string(),
    username: z.string(),
    password: z.string(),
    fault: z.enum(demoFaults),
  })
  .meta({ id: 'DemoCamera' })
export type DemoCamera = z.infer<typeof demoCamera>

export const demo = {
  start: op({
    method: 'POST',
    path: '/demo/cameras',
    summary: 'Run simulated cameras beside the local edge server',
    access: 'super_admin_only',
    input: z.strictObject({ count: z.int().min(1, 'greater_than:0').max(16, 'too_many').default(1) }),
    output: z.array(demoCamera),
  }),
  list: op({
    method: 'GET',
    path: '/demo/cameras',
    summary: 'Simulated cameras that run',
    access: 'super_admin_only',
    input: z.strictObject({}),
    output: z.array(demoCamera),
  }),
  stop: op({
    method: 'DELETE',
    path: '/demo/cameras',
    summary: 'Stop the simulated cameras and remove them with their analytics; with `dry_run` only what would go',
    access: 'super_admin_only',
    // Said in any case: where something on the way drops the body of a DELETE, nothing goes.
    input: z.strictObject({ dry_run: z.boolean() }),
    output: z.object({
      devices: z.array(z.object({ device_id: z.uuid(), device_name: z.string() })),
      channels: z.array(z.object({ channel_id: z.uuid(), channel_name: z.string() })),
      /** Simulated cameras that run, added or not. */
      running: z.int(),
    }),
  }),
  fault: op({
    method: 'POST',
    path: '/demo/cameras/fault',
    summary: 'Make a simulated camera misbehave',
    access: 'super_admin_only',
    input: z.strictObject({ UUID: z.string().max(200), fault: z.enum(demoFaults) }),
    output: demoCamera,
  }),
}
