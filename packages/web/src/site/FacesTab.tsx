import { Alert, Button, Group, Modal, Text, Textarea, TextInput } from '@mantine/core'
import { type Face, type Site, api as table } from '@sightline/contract'
import { IconFaceId, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatSiteTime } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { FormActions, useDraftForm } from '../ui/form.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import classes from './face.module.css'
import { PersonCard } from './PersonCard.tsx'

/** Whether faces are compared at a site, and whose are known there; administrators change it. */
export function FacesTab({ site }: { site: Site }) {
  return (
    <div className="stack">
      <FaceSwitch key={site.version} site={site} />
      <People site={site} />
    </div>
  )
}

function FaceSwitch({ site }: { site: Site }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { site_id, version, faces_allowed, faces_allowed_by, faces_allowed_at, faces_notice } = site
  const [notice, setNotice] = useState(faces_notice)
  const [isMissing, setIsMissing] = useState(false)
  const change = useMutation(api.site.update.mutation())
  const save = (allowed: boolean) => {
    if (allowed && notice.trim() === '') return setIsMissing(true)
    change.mutate({ site_id, version, faces_allowed: allowed, faces_notice: notice })
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
          <Group mt="sm" gap="xs">
            <Button
              color={faces_allowed ? 'red.9' : undefined}
              loading={change.isPending}
              onClick={() => save(!faces_allowed)}
            >
              {t(faces_allowed ? 'face.turnOff' : 'face.turnOn')}
            </Button>
            {faces_allowed && notice !== faces_notice && (
              <Button variant="default" loading={change.isPending} onClick={() => save(true)}>
                {t('face.saveNotice')}
              </Button>
            )}
          </Group>
        </>
      ) : (
        faces_notice && (
          <Text size="sm" mt="sm" className={classes.notice}>
            {faces_notice}
          </Text>
        )
      )}
    </Panel>
  )
}

function People({ site: { site_id, faces_allowed } }: { site: Site }) {
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
        {naming && (
          <NameForm siteId={site_id} person={naming === 'new' ? null : naming} onDone={() => setNaming(null)} />
        )}
      </Modal>
    </Panel>
  )
}

/** Another model was attached since the pictures were taken. */
function Unread({ siteId }: { siteId: string }) {
  const { t } = useTranslation()
  const [isReading, setIsReading] = useState(false)
  const read = async () => {
    setIsReading(true)
    // One call reads some of them.
    let result = await api.face.read.call({ site_id: siteId })
    while (result.status && result.data.remaining > 0) result = await api.face.read.call({ site_id: siteId })
    setIsReading(false)
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
  const { field, onSubmit, isSaving } = useDraftForm({
    name: `face.${person?.face_id ?? siteId}`,
    initial: { face_name: person?.face_name ?? '' },
    schema: table.face.create.input,
    toInput: (values) => ({ ...values, site_id: siteId }),
    // A name of a person is not left behind in the browser.
    secrets: ['face_name'],
    async submit({ face_name }) {
      const result = person
        ? await api.face.update.call({ face_id: person.face_id, face_name, version: person.version })
        : await api.face.create.call({ site_id: siteId, face_name })
      if (!result.status) throw result.failure
      refresh('face')
      onDone()
    },
  })
  return (
    <form onSubmit={onSubmit} noValidate>
      <TextInput label={t('face.name')} withAsterisk data-autofocus autoComplete="off" {...field('face_name')} />
      <FormActions submitLabel={t('common.save')} isSaving={isSaving} onCancel={onDone} />
    </form>
  )
}
