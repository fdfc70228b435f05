import type { ModelHead } from '@sightline/domain'
import { type ApartLimits, runApart } from '../apart.ts'
import type { CheckRequest, CheckResult } from './check-process.ts'

const script = new URL('./check-process.ts', import.meta.url)

/**
 * Reads a file as a model and runs it on a picture, in a process of its own.
 * @param tenantId for whom
 * @param picture jpeg, png or webp
 * @throws 400 for `path` with the reason why the file cannot be used; 503 while others are being checked
 */
export const checkModel = (
  tenantId: number,
  file: string,
  head: ModelHead | null,
  picture: Uint8Array,
  limits?: ApartLimits,
): Promise<CheckResult> =>
  runApart<CheckRequest, CheckResult>(script, tenantId, { file, head, picture }, 'path', limits)
