import * as z from 'zod'

/** Line on which JSON stops being readable, from 1. */
export function jsonFaultLine(text: string, message: string): number {
  const line = /line (\d+)/.exec(message)?.[1]
  if (line) return Number(line)
  const position = /position (\d+)/.exec(message)?.[1]
  // Without a place in the message the text ended too early: the fault is at its end.
  return text.slice(0, position === undefined ? undefined : Number(position)).split('\n').length
}

/** A field that holds JSON as text; `schema` checks what it says. */
export const jsonText = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch (error) {
        const line = jsonFaultLine(text, error instanceof Error ? error.message : '')
        context.addIssue({ code: 'custom', message: `json_invalid:${line}` })
        return z.NEVER
      }
    })
    .pipe(schema as unknown as z.ZodType<z.output<S>, unknown>)

export const asJson = (value: unknown): string => JSON.stringify(value, null, 2)
