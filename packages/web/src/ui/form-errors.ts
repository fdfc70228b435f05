/**
 * The errors of a call's fields, each at the input that shows it; of several at one input the first stays.
 * @param shownAt field of the call → input, for the field itself and all below it
 */
export function placeErrors<E>(
  errors: Readonly<Record<string, E>>,
  shownAt: Readonly<Record<string, string>>,
): Record<string, E> {
  const placed: Record<string, E> = {}
  for (const [path, error] of Object.entries(errors)) {
    const field = Object.keys(shownAt).find((one) => path === one || path.startsWith(`${one}.`))
    const place = (field && shownAt[field]) ?? path
    placed[place] ??= error
  }
  return placed
}
