/** Tags as a person writes them: one `key = value` a line. */
export function parseTags(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [key = '', ...value] = line.split('=')
      return [key.trim(), value.join('=').trim()]
    }),
  )
}

export const tagsText = (tags: Readonly<Record<string, string>>): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n')
