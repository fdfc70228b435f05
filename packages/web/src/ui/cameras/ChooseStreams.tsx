import { Radio, Stack } from '@mantine/core'
import type { Probe } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { liveProfiles, type StreamChoice } from '../../app/camera-choice.ts'
import { codecName, formatNumber } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'

type Profile = Probe['profiles'][number]

/** A stream in words: its name, codec, size, rate, and bits a second. */
export const profileText = ({ name, codec, resolution, fps, bitrate }: Profile): string =>
  [
    name,
    codec && codecName(codec),
    resolution,
    fps !== null && i18n.t('device.fpsShort', { fps: formatNumber(fps) }),
    bitrate !== null && i18n.t('device.bitrate', { rate: formatNumber(bitrate) }),
  ]
    .filter(Boolean)
    .join(' · ')

type Props = {
  profiles: readonly Profile[]
  value: StreamChoice
  onChange: (value: StreamChoice) => void
  /** Only the stream to analyse is asked for. */
  isMainOnly?: boolean
}

/** Which of a camera's streams is analysed, and which one is looked at. */
export function ChooseStreams({ profiles, value, onChange, isMainOnly = false }: Props) {
  const { t } = useTranslation()
  const [only, ...more] = profiles
  if (only && more.length === 0)
    return (
      <p className="t2 num" style={{ fontSize: 13 }}>
        {profileText(only)}
      </p>
    )
  const others = liveProfiles(profiles, value.main)
  return (
    <Stack gap="sm" mt="sm">
      <Radio.Group
        label={t('device.form.profile')}
        value={value.main}
        onChange={(main) => onChange({ main, live: value.live === main ? '' : value.live })}
      >
        {profiles.map((profile) => (
          <Radio key={profile.stream_address} mt={6} value={profile.stream_address} label={profileText(profile)} />
        ))}
      </Radio.Group>
      {!isMainOnly && others.length > 0 && (
        <Radio.Group
          label={t('device.form.live')}
          description={t('device.form.liveHint')}
          value={value.live}
          onChange={(live) => onChange({ ...value, live })}
        >
          <Radio mt={6} value="" label={t('device.form.liveSame')} />
          {others.map((profile) => (
            <Radio key={profile.stream_address} mt={6} value={profile.stream_address} label={profileText(profile)} />
          ))}
        </Radio.Group>
      )}
    </Stack>
  )
}
