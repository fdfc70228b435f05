import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useMay } from '../session.ts'

type Props = {
  description?: string
  value?: unknown
  onChange: (organizationId: string) => void
  error?: string | undefined
}

/** To which organization something new belongs; drawn only for those who may choose, where there are several. */
export function OrganizationSelect({ value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  const mayChoose = useMay('super_admin_only')
  const { data = [] } = useQuery({ ...api.organization.list.query({}), enabled: mayChoose })
  if (data.length < 2) return null
  return (
    <Select
      label={t('organization.one')}
      allowDeselect={false}
      searchable
      data={data.map((one) => ({ value: one.organization_id, label: one.organization_name }))}
      {...rest}
      value={String(value)}
      onChange={(next) => next && onChange(next)}
    />
  )
}
