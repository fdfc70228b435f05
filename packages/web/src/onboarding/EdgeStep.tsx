import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { type License, type Nimble, nimbleDraft } from '@sightline/contract'
import { IconServer2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText } from '../i18n/words.ts'
import { Form, useDraftForm } from '../ui/form.tsx'
import { StatusDot } from '../ui/Health.tsx'
import type { StepProps } from './Onboarding.tsx'
import classes from './onboarding.module.css'
import { StepCard } from './StepCard.tsx'

export function EdgeStep({ run, onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const { nimble, license } = run
  const isOnline = nimble?.status?.state === 'online'
  return (
    <StepCard
      title={t('onboarding.edge.title')}
      text={nimble ? t('onboarding.edge.text') : t('onboarding.edge.none')}
      onNext={nimble && isOnline ? onNext : undefined}
      onSkip={isOnline ? undefined : onSkip}
    >
      {nimble ? <Found nimble={nimble} /> : <AddEdge license={license} />}
    </StepCard>
  )
}

/** The edge server that is there, tried live. */
function Found({ nimble }: { nimble: Nimble }) {
  const { t } = useTranslation()
  const { address, port, status } = nimble
  const test = useQuery({
    ...api.nimble.test.query({ address: address ?? '', port: port ?? 0 }),
    // One that dials the portal cannot be tried from here.
    enabled: address !== null,
    retry: false,
    staleTime: 0,
    meta: { op: 'nimble.test', quiet: true },
  })
  const state = status?.state ?? 'new'
  const place = address === null ? '' : `${address}:${port}`
  return (
    <Stack gap="sm">
      <div className={classes.fact}>
        <IconServer2 size={20} stroke={1.6} aria-hidden="true" />
        <span className={classes.grow}>
          <b>{edgeName(nimble)}</b> <span className="t2 num">{place}</span>
        </span>
        <span>
          <StatusDot tone={state === 'online' ? 'ok' : 'warn'} pulse={state !== 'online'} />{' '}
          {t(`onboarding.edge.state.${state}`)}
        </span>
      </div>
      <div className={classes.fact} role="status">
        <span className={classes.grow}>
          {test.isFetching
            ? t('onboarding.edge.testing', { address: place })
            : test.data?.ok
              ? t('onboarding.edge.ok', { version: test.data.engine_version ?? '?', ms: Math.round(test.data.ms) })
              : (test.error?.message ?? (test.data?.cause ? causeText(test.data.cause) : t('onboarding.edge.failed')))}
        </span>
        <Button variant="default" size="xs" onClick={() => void test.refetch()} loading={test.isFetching}>
          {t('onboarding.edge.test')}
        </Button>
      </div>
      {state !== 'online' && (
        <span className="muted" role="status">
          {status?.cause ? causeText(status.cause) : t('onboarding.edge.waiting')}
        </span>
      )}
    </Stack>
  )
}

function AddEdge({ license }: { license: License | null }) {
  const { t } = useTranslation()
  const belongs = { license_id: license?.license_id ?? '', organization_id: license?.organization_id }
  const { field, frame, isSaving } = useDraftForm({
    name: 'first-run.edge',
    initial: { name: '', address: '', port: '' as number | '' },
    schema: nimbleDraft,
    toInput: (values) => ({ ...values, ...belongs }),
    async submit({ name, address, port }) {
      const result = await api.nimble.create.call({ name, address, port: Number(port), ...belongs })
      if (!result.status) throw result.failure
      refresh('nimble')
    },
  })
  return (
    <Form {...frame}>
      <Stack gap="sm" maw={420}>
        <TextInput label={t('onboarding.edge.name')} data-first {...field('name')} />
        <TextInput label={t('onboarding.edge.address')} {...field('address')} />
        <NumberInput label={t('onboarding.edge.port')} hideControls {...field('port')} />
        <Group justify="flex-end">
          <Button type="submit" loading={isSaving}>
            {t('onboarding.edge.add')}
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}
