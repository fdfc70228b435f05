import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Role } from '@sightline/domain'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'

const typingMs = 150
/** So many people of each role are offered at once; the others are found by typing. */
const offered = 50
/** All others reach everything of their organization. */
const assignable: readonly Role[] = ['user', 'viewer']

type Props = {
  label: string
  description: string
  /** Nobody is assigned what is another organization's. */
  organizationId: string | undefined
  /** Who has it already. */
  without?: ReadonlySet<string>
  value: string | null
  onChange: (userId: string | null) => void
}

/** Somebody to whom a customer or a site can be assigned. */
export function PersonSelect({ label, description, organizationId, without, value, onChange }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null)
  // Who was chosen stands in the field: that is no search.
  const sought = q === chosen?.label.trim() ? '' : q
  const lists = useQueries({
    queries: assignable.map((role_key) => ({
      ...api.user.list.query({ role_key, organization_id: organizationId, q: sought || undefined, limit: offered }),
      placeholderData: keepPreviousData,
    })),
  })
  const people = lists.flatMap(({ data = [] }) => data).filter(({ user_id }) => !without?.has(user_id))
  const choices = people.map(({ user_id, firstname, lastname, username, role_key }) => ({
    value: user_id,
    label: `${firstname} ${lastname} (${username}) · ${t(`role.${role_key}`)}`,
  }))
  // It stays in the field though it is not among those offered.
  const isShown = chosen !== null && chosen.value === value && !choices.some((one) => one.value === value)
  const failed = lists.find(({ error, data }) => error && !data)
  return (
    <Select
      label={label}
      description={description}
      error={failed?.error?.message}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server has searched already.
      filter={({ options }) => options}
      nothingFoundMessage={lists.some(({ isPending }) => isPending) ? undefined : t('common.nothingMatches')}
      value={value}
      onChange={(id, option) => {
        setChosen(id === null ? null : { value: id, label: option.label })
        onChange(id)
      }}
      data={isShown ? [chosen, ...choices] : choices}
    />
  )
}
