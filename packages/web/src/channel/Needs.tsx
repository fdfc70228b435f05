import { Alert } from '@mantine/core'
import {
  labelsFor,
  missingNeed,
  type Need,
  type PipelineElements,
  type UsecaseKey,
  unmetLabels,
} from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { Go } from '../ui/Go.tsx'

const needText = {
  needs_model: 'usecase.needsModelText',
  needs_calibration: 'channel.need.calibrationText',
} as const

type Props = { usecaseKey: UsecaseKey; elements: PipelineElements; siteId: string }

/** What only a person can add before the analytic counts anything, and where; nothing when it can begin at once. */
export function Needs({ usecaseKey, elements, siteId }: Props) {
  return (
    <>
      {usecaseKey === 'fcrecog' && <FacesAllowed siteId={siteId} />}
      <Missing usecaseKey={usecaseKey} elements={elements} />
    </>
  )
}

/** Said before the analytic is there: it waits until the site allows it. */
function FacesAllowed({ siteId }: { siteId: string }) {
  const site = useQuery(api.site.get.query({ site_id: siteId }))
  return site.data?.faces_allowed === false && <FacesOff siteId={siteId} />
}

/** Faces are not compared at the site, and where that is allowed. */
export function FacesOff({ siteId }: { siteId: string }) {
  const { t } = useTranslation()
  return (
    <Alert color="orange" variant="light" mb="md" title={t('message.faces_off')}>
      {t('face.needOff')}{' '}
      <Go to="/site/detail" search={{ sid: siteId, tab: 'faces' }}>
        {t('face.toSite')}
      </Go>
    </Alert>
  )
}

function Missing({ usecaseKey, elements }: Omit<Props, 'siteId'>) {
  const { t } = useTranslation()
  const missing = useMissing(usecaseKey, elements)
  if (missing === null) return null
  return (
    <Alert color="orange" variant="light" mb="md" title={t(`message.${missing.need}`)}>
      {missing.text} {missing.need === 'needs_model' && <Go to="/model">{t('channel.need.toModels')}</Go>}
    </Alert>
  )
}

/**
 * What is missing, and in words what to do: of a model that was chosen, what it does not know. Null when nothing is, and
 * while the elements or the model are not known yet.
 */
export function useMissing(
  usecaseKey: UsecaseKey,
  elements: PipelineElements | undefined,
): { need: Need; text: string } | null {
  const { t } = useTranslation()
  const chosen = String(elements?.['detector.model'] ?? '')
  const models = useQuery(api.model.list.query({}))
  const model = models.data?.find(({ model_id }) => model_id === chosen)
  // Nothing is claimed about a model that is not known yet.
  if (!elements || (models.isPending && chosen)) return null
  const known = model ? Object.values(model.labels) : null
  const need = missingNeed(usecaseKey, elements, known)
  if (need === null) return null
  const unmet = known ? unmetLabels(labelsFor(usecaseKey, elements), known) : []
  // Flames are also found by their colour, without a model; that is off until somebody wants it.
  const orElse = usecaseKey === 'frdtec' && need === 'needs_model' ? ` ${t('usecase.orFlamesText')}` : ''
  if (need !== 'needs_model' || unmet.length === 0) return { need, text: t(needText[need]) + orElse }
  const labels = unmet.map((group) => group.map((label) => t(`model.label.${label}`)).join(' / ')).join(', ')
  return { need, text: t('channel.need.otherModel', { labels }) + orElse }
}
