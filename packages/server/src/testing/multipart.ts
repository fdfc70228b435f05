import type { InjectOptions } from 'fastify'

/** A form as a browser sends it. Bytes become a file, text a field. */
export function multipart(
  parts: Record<string, string | Buffer>,
  file: { name?: string; type?: string } = {},
): Pick<InjectOptions, 'headers' | 'payload'> {
  const boundary = '----sightline-test'
  const chunks = Object.entries(parts).flatMap(([field, value]) => {
    const isFile = typeof value !== 'string'
    const { name = 'picture.png', type = 'image/png' } = file
    const disposition = `content-disposition: form-data; name="${field}"${isFile ? `; filename="${name}"` : ''}`
    const head = [`--${boundary}`, disposition, ...(isFile ? [`content-type: ${type}`] : []), '', ''].join('\r\n')
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
