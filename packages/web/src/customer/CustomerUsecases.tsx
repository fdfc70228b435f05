import { Alert, Button, Checkbox, Group, Radio, Stack } from '@mantine/core'
import type { Customer, UsecaseEntity } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Tag } from '../ui/Health.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import classes from './customer.module.css'

/** Which use cases may be attached to the cameras of a customer; all of them where nothing was said. */
export function CustomerUsecases({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const { t } = useTranslation()
  const { customer_id } = customer
  const bundles = useQuery(api.customer.bundle.query({ customer_id }))
  const usecases = useQuery(api.usecase.list.query({}))
  const [isEditing, setIsEditing] = useState(false)
  const failed = [bundles, usecases].find(({ isError, data }) => isError && !data)
  const given = bundles.data?.flatMap(({ bundle_usecases }) => bundle_usecases)
  const isAll = given?.length === usecases.data?.length
  return (
    <section>
      <h3 className={classes.section}>{t('customer.usecases.title')}</h3>
      {failed ? (
        <ErrorPanel
          error={failed.error}
          onRetry={() => {
            void bundles.refetch()
            void usecases.refetch()
          }}
        />
      ) : !given || !usecases.data ? (
        <RowsSkeleton rows={1} height={34} />
      ) : isEditing ? (
        <Edit
          customerId={customer_id}
          usecases={usecases.data}
          given={isAll ? [] : given.map(({ usecase_id }) => usecase_id)}
          onClose={() => setIsEditing(false)}
        />
      ) : (
        <div className={classes.usecases}>
          {isAll ? (
            <span className="t2">{t('customer.usecases.all')}</span>
          ) : (
            given.map(({ usecase_key }) => <Tag key={usecase_key}>{t(`usecase.name.${usecase_key}`)}</Tag>)
          )}
          {mayEdit && (
            <Button size="compact-sm" variant="default" onClick={() => setIsEditing(true)}>
              {t('customer.usecases.change')}
            </Button>
          )}
        </div>
      )}
    </section>
  )
}

type EditProps = {
  customerId: string
  usecases: readonly UsecaseEntity[]
  /** None: all. */
  given: readonly string[]
  onClose: () => void
}

const ways = ['all', 'some'] as const

function Edit({ customerId: customer_id, usecases, given, onClose }: EditProps) {
  const { t } = useTranslation()
  const [way, setWay] = useState<(typeof ways)[number]>(given.length > 0 ? 'some' : 'all')
  const [chosen, setChosen] = useState<readonly string[]>(given)
  const [isSaving, setIsSaving] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  // Nobody is told off for what was only just asked for.
  const [isTried, setIsTried] = useState(false)
  const isNone = way === 'some' && chosen.length === 0

  const save = async () => {
    const wanted = way === 'all' ? [] : chosen
    const others = usecases.map(({ usecase_id }) => usecase_id).filter((id) => !wanted.includes(id))
    setIsSaving(true)
    setFault(null)
    // Given before others are taken: with none in between, all would be allowed.
    const given = wanted.length > 0 ? await api.usecase.assign.call({ customer_id, usecase_id: [...wanted] }) : null
    const isGiven = given === null || given.status
    const taken =
      isGiven && others.length > 0
        ? await api.usecase.unassign.call({ customer_id, usecase_id: others, all: way === 'all' })
        : null
    setIsSaving(false)
    refresh('usecase')
    const failed = [given, taken].find((result) => result?.status === false)
    if (failed) return setFault(failed.message.text)
    notify({ type: 'success', text: t('customer.usecases.saved') })
    onClose()
  }
  return (
    <form
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        setIsTried(true)
        if (!isNone) void save()
      }}
    >
      <Stack gap="sm">
        <Radio.Group
          aria-label={t('customer.usecases.title')}
          value={way}
          onChange={(next) => setWay(next as typeof way)}
        >
          <Stack gap={6}>
            {ways.map((one) => (
              <Radio key={one} value={one} label={t(`customer.usecases.way.${one}`)} />
            ))}
          </Stack>
        </Radio.Group>
        {way === 'some' && (
          <Checkbox.Group
            label={t('customer.usecases.these')}
            description={t('customer.usecases.hint')}
            error={isTried && isNone && t('customer.usecases.none')}
            value={[...chosen]}
            onChange={setChosen}
          >
            <div className={classes.choices}>
              {usecases.map(({ usecase_id, usecase_key }) => (
                <Checkbox key={usecase_id} value={usecase_id} label={t(`usecase.name.${usecase_key}`)} />
              ))}
            </div>
          </Checkbox.Group>
        )}
        {fault && (
          <Alert color="red" role="alert">
            {fault}
          </Alert>
        )}
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose} disabled={isSaving}>
            {t('common.cancel')}
          </Button>
          <Button size="xs" type="submit" loading={isSaving}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
