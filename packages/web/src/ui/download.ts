/** Files that the browser keeps. */

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  save(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** @param url of our own origin */
export function save(url: string, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  document.body.append(link)
  link.click()
  link.remove()
}
