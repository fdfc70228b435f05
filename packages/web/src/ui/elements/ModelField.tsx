import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { Go } from '../Go.tsx'

type Props = Pick<SelectProps, 'label' | 'description' | 'inputWrapperOrder' | 'error' | 'id'> & {
  /** Public id of the model; empty for none. */
  value: string
  onChange: (value: string) => void
  /** One that makes vectors of faces, instead of one that finds things. */
  isEmbedding?: boolean
}

/** The organization's models to choose from, and the way to add one. */
export function ModelField({ value, onChange, isEmbedding = false, ...shared }: Props) {
  const { t } = useTranslation()
  const models = useQuery(api.model.list.query({}))
  const fitting = models.data?.filter(({ head }) => (head === 'embedding') === isEmbedding)
  const known = fitting?.map(({ model_id, model_name }) => ({ value: model_id, label: model_name })) ?? []
  // One that is gone still stands in the pipeline: it is shown as what it is.
  const data = value && !known.some((one) => one.value === value) ? [...known, { value, label: value }] : known
  return (
    <div>
      <Select
        {...shared}
        clearable
        placeholder={t('elements.noModel')}
        data={data}
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
      />
      {fitting?.length === 0 && (
        <p className="t2">
          {t('elements.noModels')} <Go to="/model">{t('elements.addModel')}</Go>
        </p>
      )}
    </div>
  )
}
