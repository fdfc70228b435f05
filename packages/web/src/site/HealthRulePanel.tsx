import { Button, Group, NumberInput, Switch } from '@mantine/core'
import type { HealthRule } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { fieldText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'

/** When people are told that a camera of this site fails. */
export function HealthRulePanel({ siteId }: { siteId: string }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const found = useQuery(api.site.health.query({ site_id: siteId, limit: 1 }))
  const rule = found.data?.rule
  return (
    <Panel title={t('site.rule.title')} hint={t('site.rule.hint')}>
      {found.isError && !rule ? (
        <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />
      ) : !rule ? (
        <BlockSkeleton height={90} />
      ) : mayEdit ? (
        <Rule key={`${rule.site_id} ${rule.version}`} rule={rule} />
      ) : (
        t(rule.is_active ? 'site.rule.after' : 'site.rule.off', { count: rule.grace_minutes })
      )}
    </Panel>
  )
}

function Rule({ rule: { site_id, grace_minutes, is_active, version } }: { rule: HealthRule }) {
  const { t } = useTranslation()
  const [minutes, setMinutes] = useState<number | string>(grace_minutes)
  const change = useMutation(api.site.healthRule.mutation())
  const isRight = typeof minutes === 'number' && Number.isInteger(minutes) && minutes >= 1 && minutes <= 60
  return (
    <>
      <Switch
        label={t('site.rule.active')}
        checked={is_active}
        disabled={change.isPending}
        onChange={({ currentTarget: { checked } }) => change.mutate({ site_id, is_active: checked, version })}
      />
      {is_active && (
        <Group mt="md" gap="xs" align="flex-end">
          <NumberInput
            w={200}
            label={t('site.rule.minutes')}
            min={1}
            max={60}
            clampBehavior="none"
            value={minutes}
            onChange={setMinutes}
            error={isRight ? undefined : fieldText('range_1_60')}
          />
          <Button
            variant="default"
            disabled={!isRight || minutes === grace_minutes}
            loading={change.isPending}
            onClick={() => change.mutate({ site_id, grace_minutes: Number(minutes), version })}
          >
            {t('common.save')}
          </Button>
        </Group>
      )}
    </>
  )
}
