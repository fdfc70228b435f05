import type * as z from 'zod'

/**
 * The message id of a problem for which a schema names none. Give it to `safeParse` (`{ error: issueId }`) or to
 * `z.config({ customError: issueId })`, so that server and forms say the same. Arguments follow a colon.
 */
export function issueId(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : `type:${issue.expected}`
    case 'too_small':
      if (issue.origin === 'string') return issue.minimum === 1 ? 'required' : `min_length:${issue.minimum}`
      if (issue.origin === 'array') return issue.minimum === 1 ? 'required' : `at_least_items:${issue.minimum}`
      return `${issue.inclusive === false ? 'greater_than' : 'at_least'}:${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'string') return 'too_long'
      if (issue.origin === 'array') return 'too_many'
      return `${issue.inclusive === false ? 'less_than' : 'at_most'}:${issue.maximum}`
    case 'invalid_format':
      return formats[issue.format] ?? 'format_invalid'
    case 'invalid_value':
      return issue.input === undefined ? 'required' : 'one_of'
    case 'unrecognized_keys':
      return 'unknown_property'
    default:
      return 'invalid'
  }
}
const formats: Record<string, string> = {
  uuid: 'id_invalid',
  datetime: 'time_invalid',
  date: 'date_invalid',
  email: 'email_invalid',
  url: 'url_invalid',
}

/** Field → message ids, as the envelope carries them: nested fields are joined by dots, unknown ones stand under their name. */
export function fieldErrors(error: z.ZodError): Record<string, string[]> {
  // Not an object yet: a field may be called `__proto__`.
  const errors = new Map<string, string[]>()
  const add = (path: readonly PropertyKey[], id: string) => {
    const field = path.map(String).join('.')
    const ids = errors.get(field) ?? []
    if (!ids.includes(id)) errors.set(field, [...ids, id])
  }
  const collect = (issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[]) => {
    for (const issue of issues) {
      const path = [...above, ...issue.path]
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) add([...path, key], 'unknown_property')
      else if (issue.code === 'invalid_union' && meant(issue.errors)) collect(meant(issue.errors) ?? [], path)
      else if (issue.code === 'invalid_key' || issue.code === 'invalid_element') collect(issue.issues, path)
      else add(path, issue.message)
    }
  }
  collect(error.issues, [])
  return Object.fromEntries(errors)
}

/** Of a union's branches, the one whose kind of value was sent: it complains about the inside, not about the type. */
const meant = (branches: readonly (readonly z.core.$ZodIssue[])[]) =>
  branches.find((issues) => issues.length > 0 && !issues.some((issue) => issue.path.length === 0 && isType(issue)))
const isType = (issue: z.core.$ZodIssue) => issue.code === 'invalid_type' || issue.code === 'invalid_value'
