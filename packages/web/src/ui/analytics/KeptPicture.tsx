import { type ReactNode, useState } from 'react'

type Props = {
  url: string
  alt: string
  /** What stands there instead: the edge server is away, keeps it no longer, or could not take it after all. */
  children: ReactNode
}

/** The picture of an event, small in a list. */
export function KeptPicture({ url, alt, children }: Props) {
  const [goneUrl, setGoneUrl] = useState<string | null>(null)
  if (goneUrl === url) return children
  return <img src={url} alt={alt} loading="lazy" onError={() => setGoneUrl(url)} />
}
