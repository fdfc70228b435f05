import { Alert, Button, Group, Input, Radio, Select, Stack } from '@mantine/core'
import type { Device, ZoneDraft } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { licenseRoom } from '../app/license.ts'
import { fieldText } from '../i18n/words.ts'
import { dropDraft, readDraft, writeDraft } from '../ui/draft.ts'
import type { StepProps } from './Onboarding.tsx'
import classes from './onboarding.module.css'
import { StepCard } from './StepCard.tsx'

/** What the edge server runs without a model or a calibration; the first is the default. */
const offered = ['pplcnt', 'pplocc', 'intrdtec', 'emptyframecheck'] as const satisfies readonly UsecaseKey[]
type Offered = (typeof offered)[number]

export const places = ['whole', 'lineAcross', 'lineDown'] as const
export type Place = (typeof places)[number]

const points: Record<Place, [number, number][]> = {
  whole: [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
  lineAcross: [
    [0, 0.55],
    [1, 0.55],
  ],
  lineDown: [
    [0.5, 0],
    [0.5, 1],
  ],
}

/** Width by height as a number; 16:9 when the camera did not say. */
function ratioOf(resolution: string | null): number {
  const [width, height] = (resolution ?? '').split('x').map(Number)
  return width && height ? width / height : 16 / 9
}

export const zoneAt = (place: Place, resolution: string | null): ZoneDraft => ({
  kind: place === 'whole' ? 'zone' : 'line',
  points: points[place],
  aspect_ratio: ratioOf(resolution),
})

export function AnalyticStep(props: StepProps) {
  const { t } = useTranslation()
  const { devices, channel } = props.run
  const [first] = devices
  if (!first)
    return (
      <StepCard title={t('onboarding.steps.analytic')} text={t('onboarding.analytic.noCamera')} onSkip={props.onSkip} />
    )
  if (channel)
    return (
      <StepCard
        title={t('onboarding.steps.analytic')}
        text={t('onboarding.analytic.have', { name: channel.channel_name })}
        onNext={props.onNext}
      />
    )
  return <Choose {...props} first={first} />
}

type Choice = { deviceId: string; usecase: Offered; place: Place }
const keptAs = 'onboarding.analytic'

function Choose({ run, first, onNext, onSkip }: StepProps & { first: Device }) {
  const { t } = useTranslation()
  const { devices } = run
  const begun: Choice = { deviceId: first.device_id, usecase: 'pplcnt', place: 'whole' }
  const [choice, setChoice] = useState<Choice>(() => ({ ...begun, ...readDraft<Choice>(keptAs) }))
  const { deviceId, usecase: chosen, place: chosenPlace } = choice
  const choose = (change: Partial<Choice>) => {
    const next = { ...choice, ...change }
    setChoice(next)
    // Three presses that are made again at once: kept, and nobody is asked before they are left.
    writeDraft(keptAs, next)
  }
  const create = useMutation(api.channel.create.mutation())

  const device = devices.find((one) => one.device_id === deviceId) ?? first
  // What may be attached at its site.
  const { data: known } = useQuery(api.usecase.list.query({ site_id: device.site_id }))
  const cards = offered.filter((key) => !known || known.some((one) => one.usecase_key === key && one.built_in))
  const usecase = cards.includes(chosen) ? chosen : (cards[0] ?? chosen)
  const needsLine = usecase === 'pplocc'
  const place = needsLine && chosenPlace === 'whole' ? 'lineAcross' : chosenPlace
  const licenses = useQuery(api.license.list.query({}))
  const room = licenses.data && licenseRoom(licenses.data, device.nimble_id, usecase)

  const attach = () =>
    create.mutate(
      {
        channel_name: t(`usecase.name.${usecase}`),
        device_id: device.device_id,
        usecase_key: usecase,
        zones: [zoneAt(place, device.resolution)],
      },
      {
        onSuccess() {
          dropDraft(keptAs)
          onNext()
        },
      },
    )
  return (
    <StepCard
      title={t('onboarding.analytic.title', { camera: device.device_name })}
      text={t('onboarding.analytic.text')}
    >
      <form
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault()
          attach()
        }}
      >
        <Stack gap="md">
          {devices.length > 1 && (
            <Select
              label={t('onboarding.analytic.camera')}
              maw={420}
              allowDeselect={false}
              value={device.device_id}
              onChange={(next) => next && choose({ deviceId: next })}
              data={devices.map((one) => ({ value: one.device_id, label: one.device_name }))}
            />
          )}
          <Radio.Group
            label={t('onboarding.analytic.usecase')}
            value={usecase}
            onChange={(next) => choose({ usecase: next as Offered })}
          >
            <div className={classes.choices}>
              {cards.map((key) => (
                <Radio.Card key={key} value={key} className={classes.choice} radius="md">
                  <Group wrap="nowrap" align="flex-start" gap="xs">
                    <Radio.Indicator mt={1} />
                    <span>
                      <span className={classes.choiceName}>{t(`usecase.name.${key}`)}</span>
                      <br />
                      <span className={classes.choiceText}>{t(`onboarding.analytic.about.${key}`)}</span>
                    </span>
                  </Group>
                </Radio.Card>
              ))}
            </div>
          </Radio.Group>
          {usecase !== 'emptyframecheck' && (
            <Radio.Group
              label={t('onboarding.analytic.zone')}
              description={needsLine ? t('onboarding.analytic.lineHint') : undefined}
              value={place}
              onChange={(next) => choose({ place: next as Place })}
            >
              <Group mt={6} gap="md">
                {places
                  .filter((one) => !needsLine || one !== 'whole')
                  .map((one) => (
                    <Radio key={one} value={one} label={t(`onboarding.analytic.${one}`)} />
                  ))}
              </Group>
            </Radio.Group>
          )}
          {room?.why && (
            <Alert color="orange" variant="light">
              {fieldText(room.why)}
            </Alert>
          )}
          {create.isError && (
            <Input.Error role="alert" size="sm">
              {create.error.message}
            </Input.Error>
          )}
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          {room && room.left > 0 && (
            <span className="muted num">{t('onboarding.analytic.left', { count: room.left })}</span>
          )}
          <Button variant="subtle" color="gray" onClick={onSkip}>
            {t('onboarding.later')}
          </Button>
          <Button type="submit" loading={create.isPending} data-first>
            {t('onboarding.analytic.attach', { name: t(`usecase.name.${usecase}`) })}
          </Button>
        </Group>
      </form>
    </StepCard>
  )
}
