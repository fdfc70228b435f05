import { ActionIcon, Button, Group } from '@mantine/core'
import type { User } from '@sightline/contract'
import { IconUserMinus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../Confirm.tsx'
import { Tag } from '../Health.tsx'
import { PersonSelect } from './PersonSelect.tsx'
import classes from './people.module.css'

type Holder = Pick<User, 'user_id' | 'firstname' | 'lastname' | 'username' | 'role_key' | 'status'>

const nameOf = ({ firstname, lastname }: Holder) => `${firstname} ${lastname}`

type ListProps<H extends Holder> = {
  label: string
  people: readonly H[]
  empty: string
  /** By what somebody holds it. */
  tagsOf?: (person: H) => ReactNode
  /** Whether it can be taken from them here. */
  canTake: (person: H) => boolean
  /** What taking it away means. */
  question: (person: H, name: string) => ReactNode
  isTaking: boolean
  onTake: (person: H, done: () => void) => void
}

/** Who holds something, and taking it from them. */
export function Holders<H extends Holder>(props: ListProps<H>) {
  const { label, people, empty, tagsOf, canTake, question, isTaking, onTake } = props
  const { t } = useTranslation()
  const [asked, setAsked] = useState<H | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      <ul className={classes.people} aria-label={label}>
        {people.map((person) => (
          <li key={person.user_id}>
            <span className={classes.name}>
              {nameOf(person)} <span className="t3">{person.username}</span>
            </span>
            <span className={classes.tags}>
              {person.status !== 'active' && <Tag tone="warn">{t(`people.status.${person.status}`)}</Tag>}
              <Tag>{t(`role.${person.role_key}`)}</Tag>
              {tagsOf?.(person)}
            </span>
            {canTake(person) && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('people.takeFrom', { name: nameOf(person) })}
                title={t('people.take')}
                onClick={() => setAsked(person)}
              >
                <IconUserMinus size={17} stroke={1.6} />
              </ActionIcon>
            )}
          </li>
        ))}
        {people.length === 0 && <li className="muted">{empty}</li>}
      </ul>
      <Confirm
        opened={asked !== null}
        onClose={close}
        title={t('people.take')}
        confirmLabel={t('people.take')}
        pending={isTaking}
        onConfirm={() => asked && onTake(asked, close)}
      >
        {asked && question(asked, nameOf(asked))}
      </Confirm>
    </>
  )
}

type GiveProps = {
  description: string
  organizationId: string
  without: ReadonlySet<string>
  isGiving: boolean
  onGive: (userId: string, done: () => void) => void
}

/** Gives it to somebody else. */
export function GiveTo({ description, organizationId, without, isGiving, onGive }: GiveProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<string | null>(null)
  return (
    <Group gap="xs" align="flex-end">
      <div className={classes.select}>
        <PersonSelect
          label={t('people.person')}
          description={description}
          organizationId={organizationId}
          without={without}
          value={chosen}
          onChange={setChosen}
        />
      </div>
      <Button
        variant="default"
        disabled={!chosen}
        loading={isGiving}
        onClick={() => chosen && onGive(chosen, () => setChosen(null))}
      >
        {t('people.assign')}
      </Button>
    </Group>
  )
}
