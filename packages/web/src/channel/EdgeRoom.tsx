import { Alert } from '@mantine/core'
import type { Device } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { useEdges } from '../app/edge.ts'
import { hasScreen, useModules } from '../app/modules.ts'
import { formatNumber } from '../i18n/format.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText } from '../i18n/words.ts'
import { Go } from '../ui/Go.tsx'
import { edgeRoom } from './edge-room.ts'

/** That one more analytic may be too much for the edge server of a camera, and what to do about it; nothing while it is not. */
export function EdgeRoom({ device }: { device: Device }) {
  const { t } = useTranslation()
  const mayMove = hasScreen(useModules(), '/deployment')
  const { edges } = useEdges()
  const edge = edges?.find(({ nimble_id }) => nimble_id === device.nimble_id)
  const { left, behind } = edgeRoom(edge?.status, device.source_channels)
  if (!edge || (left === null && behind === null)) return null
  const name = edgeName(edge)
  const isTooMuch = left === 0 || behind !== null
  return (
    <Alert
      color={isTooMuch ? 'orange' : 'blue'}
      variant="light"
      mb="md"
      title={isTooMuch ? t('channel.room.tooMuch', { name }) : undefined}
    >
      {behind !== null && `${t('channel.room.behind', { cause: causeText(behind) })} `}
      {left === 0
        ? t('channel.room.full', {
            name,
            used: formatNumber(edge.status?.channels ?? 0),
            capacity: formatNumber(edge.status?.capacity ?? 0),
          })
        : left !== null && t('channel.room.few', { count: left, name })}{' '}
      {isTooMuch && t('channel.room.next')}{' '}
      {mayMove && (
        <Go to="/deployment" search={{ nid: edge.nimble_id }}>
          {t('channel.room.toDeployment')}
        </Go>
      )}
    </Alert>
  )
}
