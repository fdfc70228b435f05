import { Alert, Button, Group, Modal, NumberInput, Text, Textarea, TextInput } from '@mantine/core'
import { type Face, type Site, siteChange, api as table } from '@sightline/contract'
import { IconFaceId, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh, report } from '../app/client.ts'
import { portalNow } from '../app/clock.ts'
import { formatSiteTime } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { dropDraft, readDraft } from '../ui/draft.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { BehindNote, DraftNote, Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Panel } from '../ui/Panel.tsx'
import { isSame } from '../ui/rebase.ts'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { useKept } from '../ui/useKept.ts'
import classes from './face.module.css'
import { PersonCard } from './PersonCard.tsx'

/** Whether faces are compared at a site, and whose are known there; administrators change it. */
export function FacesTab({ site }: { site: Site }) {
  return (
    <div className="stack">
      <FaceSwitch key={`${site.site_id} ${site.version}`} site={site} />
      <People site={site} />
    </div>
  )
}

/** What was typed, and over what. */
type Kept = { notice: string; days: number | string; over: [notice: string, days: number | null] }

function FaceSwitch({ site }: { site: Site }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { site_id, version, faces_allowed, faces_allowed_by, faces_allowed_at, faces_notice, faces_days } = site
  const people = useQuery(api.face.list.query({ site_id })).data
  const keptAs = `faces:${site_id}`
  const [kept] = useState(() => readDraft<Kept>(keptAs))
  const [restored, setRestored] = useState(
    () => kept && (isSame(kept.over, [faces_notice, faces_days]) ? 'own' : 'behind'),
  )
  const [notice, setNotice] = useState(kept?.notice ?? faces_notice)
  const [days, setDays] = useState<number | string>(kept?.days ?? faces_days ?? '')
  const [isMissing, setIsMissing] = useState(false)
  /** What is to be saved once it was asked whether the people who are due may go. */
  const [asks, setAsks] = useState<{ allowed: boolean } | null>(null)
  const change = useMutation(api.site.update.mutation())
  const wanted = days === '' ? null : Number(days)
  const daysFault = siteChange.shape.faces_days.safeParse(wanted).error?.issues[0]?.message
  const isShorter = wanted !== null && (faces_days === null || wanted < faces_days)
  const overdue = isShorter ? (people ?? []).filter((person) => isOver(person, wanted)) : []
  const now = useMemo(
    (): Kept | null =>
      notice === faces_notice && wanted === faces_days ? null : { notice, days, over: [faces_notice, faces_days] },
    [notice, days, wanted, faces_notice, faces_days],
  )
  useKept({ name: keptAs, now, isUnsaved: now !== null && !change.isSuccess })
  const takeStored = () => {
    setNotice(faces_notice)
    setDays(faces_days ?? '')
    setRestored(null)
  }
  const send = (allowed: boolean) =>
    change.mutate(
      { site_id, version, faces_allowed: allowed, faces_notice: notice, faces_days: wanted },
      { onSuccess: () => dropDraft(keptAs), onSettled: () => setAsks(null) },
    )
  const save = (allowed: boolean) => {
    if (allowed && notice.trim() === '') return setIsMissing(true)
    if (daysFault) return
    if (overdue.length > 0) setAsks({ allowed })
    else send(allowed)
  }
  return (
    <Panel title={t('face.switchTitle')} hint={t('face.hint')}>
      <Text size="sm" fw={500}>
        {t(faces_allowed ? 'face.on' : 'face.off')}
      </Text>
      {faces_allowed && faces_allowed_by && faces_allowed_at && (
        <Text size="sm" className="t2">
          {t('face.since', {
            name: faces_allowed_by,
            time: formatSiteTime(faces_allowed_at, site.site_address.site_timezone),
          })}
        </Text>
      )}
      {mayEdit ? (
        <>
          {now && restored === 'own' && <DraftNote onDiscard={takeStored} />}
          {now && restored === 'behind' && <BehindNote onTheirs={takeStored} onMine={() => setRestored(null)} />}
          <Textarea
            mt="sm"
            label={t('face.notice')}
            description={t('face.noticeText')}
            autosize
            minRows={2}
            maxLength={2000}
            value={notice}
            onChange={({ currentTarget }) => {
              setNotice(currentTarget.value)
              setIsMissing(false)
            }}
            error={isMissing && fieldText('required')}
          />
          <NumberInput
            mt="sm"
            maw={420}
            label={t('face.days')}
            description={t('face.daysText')}
            allowDecimal={false}
            allowNegative={false}
            // Whom it would concern at once is known then.
            disabled={!people}
            value={days}
            onChange={setDays}
            error={daysFault && fieldText(daysFault)}
          />
          <Group mt="sm" gap="xs">
            <Button
              color={faces_allowed ? 'red.9' : undefined}
              loading={change.isPending}
              onClick={() => save(!faces_allowed)}
            >
              {t(faces_allowed ? 'face.turnOff' : 'face.turnOn')}
            </Button>
            {((faces_allowed && notice !== faces_notice) || wanted !== faces_days) && (
              <Button variant="default" loading={change.isPending} onClick={() => save(faces_allowed)}>
                {t('common.save')}
              </Button>
            )}
          </Group>
          <Confirm
            opened={asks !== null}
            onClose={() => setAsks(null)}
            title={t('face.overdue')}
            confirmLabel={t('face.overdue')}
            pending={change.isPending}
            onConfirm={() => asks && send(asks.allowed)}
          >
            {t('face.overdueText', { count: overdue.length })}
          </Confirm>
        </>
      ) : (
        <>
          {faces_notice && (
            <Text size="sm" mt="sm" className={classes.notice}>
              {faces_notice}
            </Text>
          )}
          <Text size="sm" mt="sm" className="t2">
            {faces_days === null ? t('face.keptUntilDeleted') : t('face.keptDays', { count: faces_days })}
          </Text>
        </>
      )}
    </Panel>
  )
}

const dayMs = 86_400_000
const isOver = ({ agreed_at }: Face, days: number): boolean => Date.parse(agreed_at) + days * dayMs <= portalNow()

function People({ site: { site_id, faces_allowed, site_address } }: { site: Site }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const query = useQuery(api.face.list.query({ site_id }))
  const [naming, setNaming] = useState<Face | 'new' | null>(null)
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNaming('new')}>
      {t('face.add')}
    </Button>
  )
  const people = query.data
  /** As stored now: somebody else may rename them while the dialog is open. */
  const named = naming === 'new' ? null : (people?.find(({ face_id }) => face_id === naming?.face_id) ?? naming)
  const isUnread = people?.some(({ pictures }) => pictures.some(({ is_read }) => is_read === false))
  return (
    <Panel
      title={t('face.people')}
      hint={t('face.peopleText')}
      aside={mayEdit && faces_allowed && people && people.length > 0 && add}
    >
      {query.isError && !people ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : !people ? (
        <RowsSkeleton rows={2} height={90} />
      ) : people.length === 0 ? (
        <Empty
          icon={<IconFaceId stroke={1.5} />}
          title={t('face.empty')}
          text={t(faces_allowed ? 'face.emptyText' : 'face.emptyOff')}
          action={faces_allowed ? add : undefined}
          forbidden={!mayEdit}
        />
      ) : (
        <>
          {isUnread && mayEdit && <Unread siteId={site_id} />}
          <div className={classes.people}>
            {people.map((person) => (
              <PersonCard
                key={person.face_id}
                person={person}
                mayEdit={mayEdit}
                timezone={site_address.site_timezone}
                takesPictures={faces_allowed}
                onRename={() => setNaming(person)}
              />
            ))}
          </div>
        </>
      )}
      <Modal
        opened={naming !== null}
        onClose={() => setNaming(null)}
        title={t(naming === 'new' ? 'face.add' : 'face.rename')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {naming && <NameForm siteId={site_id} person={named} onDone={() => setNaming(null)} />}
      </Modal>
    </Panel>
  )
}

/** Another model was attached since the pictures were taken. */
function Unread({ siteId }: { siteId: string }) {
  const { t } = useTranslation()
  const [isReading, setIsReading] = useState(false)
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  const read = async () => {
    setIsReading(true)
    // One call reads some of them; nobody waits for the others any more once the page was left.
    let result = await api.face.read.call({ site_id: siteId })
    while (result.status && result.data.remaining > 0 && isHere.current)
      result = await api.face.read.call({ site_id: siteId })
    setIsReading(false)
    if (!result.status) report(result.failure)
    refresh('face')
  }
  return (
    <Alert color="orange" variant="light" mb="md" title={t('face.unreadTitle')}>
      {t('face.unreadText')}
      <div>
        <Button mt="xs" size="compact-sm" variant="default" loading={isReading} onClick={() => void read()}>
          {t('face.read')}
        </Button>
      </div>
    </Alert>
  )
}

function NameForm({ siteId, person, onDone }: { siteId: string; person: Face | null; onDone: () => void }) {
  const { t } = useTranslation()
  const { field, frame, isSaving } = useDraftForm({
    name: `face.${person?.face_id ?? siteId}`,
    initial: { face_name: person?.face_name ?? '' },
    version: person?.version,
    schema: table.face.create.input,
    toInput: (values) => ({ ...values, site_id: siteId }),
    // A name of a person is not left behind in the browser.
    secrets: ['face_name'],
    async submit({ face_name }, version) {
      const result = person
        ? await api.face.update.call({ face_id: person.face_id, face_name, version })
        : await api.face.create.call({ site_id: siteId, face_name })
      if (!result.status) throw result.failure
      refresh('face')
      onDone()
    },
  })
  return (
    <Form {...frame}>
      <TextInput label={t('face.name')} withAsterisk data-autofocus autoComplete="off" {...field('face_name')} />
      <FormActions submitLabel={t('common.save')} isSaving={isSaving} onCancel={onDone} />
    </Form>
  )
}
