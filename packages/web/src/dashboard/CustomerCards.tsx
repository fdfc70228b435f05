import { cardsOf, type UsecaseKey } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { UsecaseCards } from '../ui/analytics/UsecaseCards.tsx'
import { figuresQuery } from '../ui/cameras/customer-cameras.ts'
import { Bone } from '../ui/Skeletons.tsx'

type Props = {
  customerId: string
  usecaseKey: UsecaseKey
  /** Titles that other cards on the page have too. */
  shared?: ReadonlySet<string>
}

/** The cards of one use case over all cameras of the customer, drawn apart from the others. */
export function CustomerCards({ customerId, usecaseKey, shared }: Props) {
  const { data, isPending } = useQuery(figuresQuery(customerId, usecaseKey))
  if (data) return <UsecaseCards usecaseKey={usecaseKey} metrics={data.metrics} shared={shared} />
  // Their room is kept, so that nothing below moves when they come.
  return isPending && cardsOf(usecaseKey).map(({ id }) => <Bone key={id} height={130} />)
}
