import type { Channel } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { causeText } from '../i18n/words.ts'
import { HealthTag } from './Health.tsx'

type Props = { channel: Pick<Channel, 'channel_health' | 'channel_state' | 'state_cause'> }

/** Health of an analytic: with its cause, or else with how far it is; one that only starts has no health yet. */
export function ChannelHealth({ channel: { channel_health, channel_state, state_cause } }: Props) {
  const { t } = useTranslation()
  const state = t(`channel.state.${channel_state}`)
  if (state_cause) return <HealthTag health={channel_health} cause={causeText(state_cause)} />
  return <HealthTag health={channel_health} cause={state} pending={state} />
}
