import { DataList } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { items: readonly (readonly [label: string, value: ReactNode])[]; labelWidth?: number }

/** Labels and values: what a form becomes for those who may only look. */
export function Facts({ items, labelWidth = 160 }: Props) {
  return (
    <DataList labelWidth={labelWidth} gap="sm">
      {items.map(([label, value]) => (
        <DataList.Item key={label}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue className="num" miw={0} style={{ overflowWrap: 'anywhere' }}>
            {value === null || value === '' ? '–' : value}
          </DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  )
}
