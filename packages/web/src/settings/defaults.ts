/** What a use case starts with, as the screen edits it. */
import { elementFaults, type PipelineElements } from '@sightline/domain'
import { asJson } from '../ui/json-text.ts'

export type Defaults = { pipeline_elements: PipelineElements; auto_recovery: boolean }

/** As text, the elements in the order of the factory's, so that two texts differ in what was changed alone. */
export function textOf({ pipeline_elements, auto_recovery }: Defaults, factory: Defaults): string {
  const keys = [...Object.keys(factory.pipeline_elements), ...Object.keys(pipeline_elements)]
  const ordered = Object.fromEntries(
    keys.filter((key) => key in pipeline_elements).map((key) => [key, pipeline_elements[key]]),
  )
  return asJson({ auto_recovery, pipeline_elements: ordered })
}

/** Message ids of what is wrong, by element; those that the use case does not have are wrong too. */
export function faultsOf({ pipeline_elements }: Defaults, factory: Defaults): Record<string, string> {
  const unknown = Object.keys(pipeline_elements).filter((key) => !(key in factory.pipeline_elements))
  return { ...elementFaults(pipeline_elements), ...Object.fromEntries(unknown.map((key) => [key, 'unknown_property'])) }
}

const path = 'defaults.pipeline_elements.'

/** What the server refuses, by element: the first message id of each. */
export const refusedOf = (errors: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).map(([field, [id = 'invalid']]) => [
      field.startsWith(path) ? field.slice(path.length) : field,
      id,
    ]),
  )
