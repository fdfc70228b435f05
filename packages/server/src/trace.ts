/** What a handler adds to the trace row of its call. */
export type Note = {
  object_kind?: string
  /** Public id. */
  object_id?: string
  object_name?: string
  /** Changed fields only; secrets are masked when the row is written. */
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}
