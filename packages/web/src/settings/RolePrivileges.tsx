import { Button, Group, SegmentedControl } from '@mantine/core'
import type { RolePrivilege } from '@sightline/contract'
import type { Privilege, Role } from '@sightline/domain'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh, report } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { formatNumber } from '../i18n/format.ts'
import { words } from '../i18n/words.ts'
import { readDraft } from '../ui/draft.ts'
import { DraftNote } from '../ui/form.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { useKept } from '../ui/useKept.ts'
import classes from './settings.module.css'

/** How people of a role see pictures of cameras, and the privileges that make it so. */
const ways = {
  clear: ['picture.clear', 'picture.unblur'],
  reason: ['picture.unblur'],
  blurred: [],
} as const satisfies Record<string, readonly Privilege[]>
type Way = keyof typeof ways

const wayOf = ({ privileges }: Pick<RolePrivilege, 'privileges'>): Way =>
  privileges.includes('picture.clear') ? 'clear' : privileges.includes('picture.unblur') ? 'reason' : 'blurred'

type Wanted = Partial<Record<Role, Way>>
const draft = 'role.privileges'

/** Who sees pictures of cameras as they are, and who blurred. */
export function RolePrivileges() {
  const { t } = useTranslation()
  const { data: stored } = useSuspenseQuery(api.role.privilegeList.query({}))
  const [kept] = useState(() => readDraft<Wanted>(draft))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const [wanted, setWanted] = useState<Wanted>(kept ?? {})
  const [isSaving, setIsSaving] = useState(false)
  const wayIn = (row: RolePrivilege): Way => wanted[row.role_key] ?? wayOf(row)
  const changed = stored.filter((row) => wayIn(row) !== wayOf(row))
  const people = changed.reduce((sum, row) => sum + row.people, 0)
  useKept({ name: draft, now: changed.length > 0 ? wanted : null, isUnsaved: changed.length > 0 && !isSaving })
  const discard = () => {
    setWanted({})
    setIsRestored(false)
  }

  const save = async () => {
    setIsSaving(true)
    let saved = 0
    for (const row of changed) {
      const { role_key, version } = row
      const result = await api.role.privilegeUpdate.call({ role_key, version, privileges: [...ways[wayIn(row)]] })
      if (!result.status) {
        report(result.failure)
        break
      }
      saved++
      setWanted(({ [role_key]: _, ...rest }) => rest)
    }
    setIsSaving(false)
    refresh('role')
    if (saved === changed.length) notify({ type: 'success', text: words.pair('role.privilegeUpdate').done })
  }

  return (
    <>
      <PageHeader title={t('screen./settings/role')} meta={t('privilege.meta')} />
      <Panel title={t('privilege.pictures')} hint={t('privilege.hint')}>
        {isRestored && changed.length > 0 && <DraftNote onDiscard={discard} />}
        <ul className={classes.roles}>
          {stored.map((row) => (
            <li key={row.role_key} data-changed={wayIn(row) !== wayOf(row) || undefined}>
              <div>
                <b>{t(`role.${row.role_key}`)}</b>
                <span className="t3 num">{t('privilege.people', { count: row.people })}</span>
              </div>
              <SegmentedControl
                aria-label={t('privilege.of', { role: t(`role.${row.role_key}`) })}
                value={wayIn(row)}
                onChange={(way) => setWanted({ ...wanted, [row.role_key]: way })}
                data={(Object.keys(ways) as Way[]).map((way) => ({ value: way, label: t(`privilege.way.${way}`) }))}
              />
              <p className="t2">{t(`privilege.means.${wayIn(row)}`)}</p>
            </li>
          ))}
        </ul>
        <Group justify="flex-end" mt="md">
          {changed.length > 0 && (
            <span className="t2" role="status">
              {t('privilege.touches', { count: people, number: formatNumber(people) })}
            </span>
          )}
          <Button variant="default" disabled={changed.length === 0} onClick={discard}>
            {t('common.cancel')}
          </Button>
          <Button disabled={changed.length === 0} loading={isSaving} onClick={() => void save()}>
            {t('privilege.save')}
          </Button>
        </Group>
      </Panel>
    </>
  )
}
