import * as z from 'zod'
import { id, paging } from './field.ts'
import { op } from './op.ts'

export const jobEntity = z
  .object({
    job_id: z.uuid(),
    kind: z.string(),
    state: z.enum(['queued', 'pending', 'running', 'completed', 'failed', 'cancelled']),
    done: z.int(),
    total: z.int().nullable(),
    /** What it found so far; its shape goes with the kind (`discovery` for device.discover). */
    result: z.json().nullable(),
    error: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Job' })
export type Job = z.infer<typeof jobEntity>

export const job = {
  get: op({
    method: 'GET',
    path: '/job',
    summary: 'Progress of long work',
    access: 'viewer_and_above',
    input: z.strictObject({ job_id: id }),
    output: jobEntity,
  }),
  list: op({
    method: 'GET',
    path: '/job/list',
    summary: "One's long work, newest first",
    access: 'viewer_and_above',
    input: z.strictObject({ ...paging }),
    output: z.array(jobEntity),
  }),
  cancel: op({
    method: 'DELETE',
    path: '/job',
    summary: 'Stop long work',
    access: 'viewer_and_above',
    input: z.strictObject({ job_id: id }),
    output: jobEntity,
  }),
}
