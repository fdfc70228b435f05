import { expect, test } from 'vitest'
import { api, type Op } from './index.ts'
import { openapi } from './openapi.ts'

type Node = Record<string, unknown>
const document = openapi() as { paths: Record<string, Record<string, Node>>; components: { schemas: Node } } & Node
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

test('every row of the table is an operation with its access and its success code', () => {
  for (const [feature, rows] of Object.entries(api))
    for (const [name, row] of Object.entries(rows as Record<string, Op>)) {
      const operation = document.paths[row.path]?.[row.method.toLowerCase()]
      expect(operation, `${feature}.${name}`).toMatchObject({
        operationId: `${feature}.${name}`,
        'x-access': row.access,
        responses: { [row.kind === 'socket' ? 101 : (row.status ?? 200)]: {} },
      })
    }
})

test('operation ids are unique', () => {
  const ids = operations.map((operation) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every reference leads to a component', () => {
  const targets = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string)
  expect(targets.length).toBeGreaterThan(50)
  for (const target of new Set(targets))
    expect(document.components.schemas).toHaveProperty(target.replace('#/components/schemas/', ''))
})

test('uploads are multipart with a file, DELETE may come without a body, path parameters are in the path', () => {
  expect(document.paths['/upload']?.post).toMatchObject({
    requestBody: { content: { 'multipart/form-data': { schema: { required: ['file'] } } } },
  })
  expect(document.paths['/site']?.delete).toMatchObject({ requestBody: { required: false } })
  expect(document.paths['/media/{id}']?.get).toMatchObject({ parameters: [{ name: 'id', in: 'path', required: true }] })
})

test('a public operation asks for no session', () => {
  expect(document.paths['/auth/login']?.post).toMatchObject({ security: [] })
  expect(document.paths['/user/info']?.get).not.toHaveProperty('security')
})
