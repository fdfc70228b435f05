import { Alert, Button, Group, Table, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { License } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { portalNow } from '../app/clock.ts'
import { formatDate, formatNumber } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { KeyField } from './KeyField.tsx'

const typingMs = 300

type Props = { license: License; onDone: () => void }

/** Another key for a licence: what it would allow beside what is allowed now, before anything is replaced. */
export function RenewLicense({ license, onDone }: Props) {
  const { t } = useTranslation()
  const { license_id, version } = license
  const [text, setText] = useState('')
  const typed = text.trim()
  const [settled] = useDebouncedValue(typed, typingMs)
  const wish = { license_id, license_key: typed }
  const preview = useQuery({
    queryKey: [...api.license.list.key({}), 'renewal', license_id, settled],
    queryFn: async ({ signal }) => {
      const result = await api.license.update.call({ license_id, license_key: settled, dry_run: true }, { signal })
      if (!result.status) throw result.failure
      return result.data
    },
    enabled: settled !== '',
    // What fits now need not fit later, and a key is not kept longer than it is looked at.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { op: 'license.update', quiet: true },
  })
  const replace = useMutation(api.license.update.mutation({ inline: true }))
  const failure = replace.error ?? (typed === '' ? null : preview.error)
  const atKey = failure?.errors.license_key?.[0]
  const isAsking = typed !== '' && (settled !== typed || preview.isFetching)
  const next = isAsking || preview.error || typed === '' ? undefined : preview.data
  const change = (value: string) => {
    replace.reset()
    setText(value)
  }
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (next)
          replace.mutate(
            { ...wish, version },
            {
              onSuccess: () => {
                refresh('license')
                onDone()
              },
              onError: (error) => {
                // What was compared is no longer what is there: it is compared anew, with the key as it was typed.
                if (error.code === 412) refresh('license')
              },
            },
          )
      }}
    >
      <KeyField
        description={t('license.renew.hint')}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onFile={change}
        error={!isAsking && atKey && fieldText(atKey)}
      />
      <div role="status">
        {isAsking && <Text size="sm">{t('license.renew.asking')}</Text>}
        {next && <Comparison now={license} next={next} />}
      </div>
      {failure && !atKey && !isAsking && (
        <Alert color="red" variant="light" role="alert">
          {failure.message}
          {preview.error && (
            <Button variant="default" size="compact-sm" mt="xs" display="block" onClick={() => void preview.refetch()}>
              {t('common.retry')}
            </Button>
          )}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" disabled={!next} loading={replace.isPending}>
          {t('license.renew.replace')}
        </Button>
      </Group>
    </form>
  )
}

function Comparison({ now, next }: { now: License; next: License }) {
  const { t } = useTranslation()
  const bundles = ({ bundles }: License) =>
    bundles?.map((one) => t(`usecase.bundle.${one}`)).join(', ') ?? t('license.allBundles')
  const end = ({ expires_at }: License) => (expires_at ? formatDate(expires_at) : t('license.never'))
  const rows = [
    [t('license.issue.channels'), formatNumber(now.channel_limit), formatNumber(next.channel_limit)],
    [t('license.bundles'), bundles(now), bundles(next)],
    [t('license.until'), end(now), end(next)],
    [t('license.for'), now.customer || '–', next.customer || '–'],
  ]
  const begins = next.valid_from && Date.parse(next.valid_from) > portalNow() ? next.valid_from : null
  return (
    <>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('license.renew.terms')}</Table.Th>
            <Table.Th>{t('license.renew.now')}</Table.Th>
            <Table.Th>{t('license.renew.next')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([label, was, is]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              <Table.Td>{was}</Table.Td>
              <Table.Td fw={was === is ? undefined : 600}>{is}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" className="t2" mt={6}>
        {t('license.renew.inUse', { count: next.channels_used })}
      </Text>
      {begins && (
        <Alert color="orange" variant="light" mt="sm">
          {t('license.renew.begins', { date: formatDate(begins) })}
        </Alert>
      )}
    </>
  )
}
