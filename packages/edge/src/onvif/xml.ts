/** XML from devices on the network: nobody vouches for it, so it is read with limits and without document types. */
import { XMLParser } from 'fast-xml-parser'

/** Elements by local name, each a list; attributes by `@name`; text, where there is more than text, by `#text`. */
export type XmlNode = { [name: string]: unknown }

/** Longer answers are refused unread. */
export const maxXmlBytes = 64 * 1024

const parser = new XMLParser({
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
  // Everything stays text: a firmware `1.10` is no number.
  parseTagValue: false,
  parseAttributeValue: false,
  // Character references such as &#38;. Entities of the document's own need a document type, which is refused.
  htmlEntities: true,
  maxNestedTags: 50,
})

/** @returns null for what is no XML, too long, or brings a document type */
export function parseXml(text: string): XmlNode | null {
  const declaresSomething = /<!(?!--|\[CDATA\[)/.test(text)
  if (Buffer.byteLength(text) > maxXmlBytes || declaresSomething) return null
  try {
    const root: unknown = parser.parse(text)
    return isNode(root) ? root : null
  } catch {
    // The parser's reasons say where it stumbled in a foreign text; the caller only needs to know that it did.
    return null
  }
}

const isNode = (value: unknown): value is XmlNode => typeof value === 'object' && value !== null

/** All elements at the end of a path of local names; text-only ones come as a node with `#text`. */
export function nodesAt(node: XmlNode, ...path: string[]): XmlNode[] {
  const [name, ...rest] = path
  if (name === undefined) return [node]
  const found: unknown = Object.hasOwn(node, name) ? node[name] : []
  const nodes = (Array.isArray(found) ? found : [found]).map((each) => (isNode(each) ? each : { '#text': each }))
  return nodes.flatMap((each) => nodesAt(each, ...rest))
}

/** Trimmed text of the first element at the end of a path; null when there is none or it is empty. */
export function textAt(node: XmlNode, ...path: string[]): string | null {
  const [found] = nodesAt(node, ...path)
  const text = found?.['#text']
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null
}

export function attributeOf(node: XmlNode, name: string): string | null {
  const value = node[`@${name}`]
  return typeof value === 'string' && value !== '' ? value : null
}

export const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`)
