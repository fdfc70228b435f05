import { Button } from '@mantine/core'
import type { EventStats } from '@sightline/contract'
import { cardsOf, type UsecaseKey } from '@sightline/domain'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { UsecaseCards } from '../ui/analytics/UsecaseCards.tsx'
import { figuresQuery } from '../ui/cameras/customer-cameras.ts'
import { MetricGrid } from '../ui/MetricCard.tsx'
import { Bone } from '../ui/Skeletons.tsx'
import { byUrgency, firstRows } from './first-rows.ts'

type Props = {
  customerId: string
  usecaseKey: UsecaseKey
  /** Titles that other cards on the page have too. */
  shared?: ReadonlySet<string>
  /** What ails every analytic of it. */
  cause: string | null
}

/** The cards of one use case over all cameras of the customer, drawn apart from the others. */
export function CustomerCards({ customerId, usecaseKey, shared, cause }: Props) {
  const { data, isPending } = useQuery(figuresQuery(customerId, usecaseKey))
  if (data) return <UsecaseCards usecaseKey={usecaseKey} metrics={data.metrics} shared={shared} cause={cause} />
  // Their room is kept, so that nothing below moves when they come.
  return isPending && cardsOf(usecaseKey).map(({ id }) => <Bone key={id} height={130} />)
}

const metricsOf = (results: UseQueryResult<EventStats>[]) =>
  results.map(({ data, isPending }) => data?.metrics ?? (isPending ? undefined : null))

/** The cards of use cases, what happened first; of many, those that fill the first rows, until all are asked for. */
export function FoldedCards(props: {
  customerId: string
  usecases: readonly UsecaseKey[]
  shared: ReadonlySet<string>
  causeOf: (key: UsecaseKey) => string | null
}) {
  const { customerId, shared, causeOf } = props
  const { t } = useTranslation()
  const [isWhole, setIsWhole] = useState(false)
  const figures = useQueries({
    queries: props.usecases.map((key) => figuresQuery(customerId, key)),
    combine: metricsOf,
  })
  const usecases = byUrgency(props.usecases, figures)
  const first = firstRows(usecases)
  return (
    <>
      <MetricGrid>
        {(isWhole ? usecases : first).map((key) => (
          <CustomerCards key={key} customerId={customerId} usecaseKey={key} shared={shared} cause={causeOf(key)} />
        ))}
      </MetricGrid>
      {first.length < usecases.length && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt={8}
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          rightSection={isWhole ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
        >
          {isWhole
            ? t('dashboard.fewerCards')
            : t('dashboard.allCards', { count: usecases.flatMap((key) => cardsOf(key)).length })}
        </Button>
      )}
    </>
  )
}
