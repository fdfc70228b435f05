import { Select, SimpleGrid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Mapping } from './table.ts'

type Props<C extends string> = {
  /** Of the file. */
  header: readonly string[]
  columns: readonly C[]
  needed: readonly C[]
  labelOf: (column: C) => string
  disabled?: boolean
  mapping: Mapping<C>
  onChange: (mapping: Mapping<C>) => void
}

/** Which column of a file holds what. */
export function ColumnMapping<C extends string>(props: Props<C>) {
  const { header, columns, needed, labelOf, disabled, mapping, onChange } = props
  const { t } = useTranslation()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      {columns.map((column) => {
        const at = mapping[column]
        return (
          <Select
            key={column}
            label={labelOf(column)}
            required={needed.includes(column)}
            placeholder={t('bulk.mapping.none')}
            clearable
            disabled={disabled}
            value={at === undefined ? null : String(at)}
            data={header.map((title, index) => ({
              value: String(index),
              label: title || t('bulk.mapping.nameless', { number: index + 1 }),
            }))}
            onChange={(next) => onChange({ ...mapping, [column]: next === null ? undefined : Number(next) })}
          />
        )
      })}
    </SimpleGrid>
  )
}
