import { describe, expect, test } from 'vitest'
import { attributeOf, escapeXml, maxXmlBytes, nodesAt, parseXml, textAt, type XmlNode } from './xml.ts'

const parsed = (text: string): XmlNode => {
  const root = parseXml(text)
  if (!root) throw new Error('refused')
  return root
}

describe('XML', () => {
  test('is read by local names, attributes and text', () => {
    const root = parsed('<a:r xmlns:a="x"><b:p token="t&amp;1"> one </b:p><p>2.10</p><q/></a:r>')
    expect(nodesAt(root, 'r', 'p').length).toBe(2)
    expect(nodesAt(root, 'r', 'p').map((node) => attributeOf(node, 'token'))).toEqual(['t&1', null])
    expect(textAt(root, 'r', 'p')).toBe('one')
    expect(nodesAt(root, 'r', 'p').map((node) => textAt(node))).toEqual(['one', '2.10'])
    expect(textAt(root, 'r', 'q')).toBeNull()
    expect(textAt(root, 'r', 'none', 'deeper')).toBeNull()
  })

  test('keeps every character through escaping', () => {
    const text = `p@ss:w/rd#1 <&>"' é`
    expect(textAt(parsed(`<r>${escapeXml(text)}</r>`), 'r')).toBe(text)
    expect(textAt(parsed('<r>rtsp://h/a?x=1&amp;y=2&#38;z&#x3D;3</r>'), 'r')).toBe('rtsp://h/a?x=1&y=2&z=3')
    expect(textAt(parsed('<r><![CDATA[a<b]]></r>'), 'r')).toBe('a<b')
  })

  test.each([
    ['a document type', '<!DOCTYPE r><r>x</r>'],
    ['entities of its own', '<!DOCTYPE r [<!ENTITY e "x">]><r>&e;</r>'],
    ['an entity outside a document type', '<r><!ENTITY e SYSTEM "file:///etc/passwd"></r>'],
    ['more than the limit', `<r>${'x'.repeat(maxXmlBytes)}</r>`],
    ['elements nested without end', '<a>'.repeat(200) + '</a>'.repeat(200)],
    ['nothing', ''],
  ])('with %s is refused', (_what, text) => {
    const root = parseXml(text)
    expect(root === null || nodesAt(root, 'r').length === 0).toBe(true)
  })

  test('cannot reach the prototype of anything', () => {
    const root = parseXml('<r><__proto__><polluted>1</polluted></__proto__><constructor>2</constructor></r>') ?? {}
    expect(textAt(root, 'r', '__proto__', 'polluted') ?? '1').toBe('1')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(nodesAt(root, 'r', 'toString')).toEqual([])
  })
})
