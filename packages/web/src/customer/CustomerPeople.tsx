import { Button } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { usePages } from '../ui/pages.ts'
import { GiveTo, Holders } from '../ui/people/Holders.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import classes from './customer.module.css'

/** Who was given a customer, with all its sites; it is given to others and taken away. */
export function CustomerPeople({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const { t } = useTranslation()
  const { customer_id, customer_name, organization_id } = customer
  const people = usePages(api.user.list, { customer_id })
  const assign = useMutation(api.customer.assign.mutation())
  const unassign = useMutation(api.customer.unassign.mutation())
  return (
    <section>
      <h3 className={classes.section}>{t('customer.people')}</h3>
      {people.error && !people.rows ? (
        <ErrorPanel error={people.error} onRetry={people.retry} />
      ) : !people.rows ? (
        <RowsSkeleton rows={2} height={34} />
      ) : (
        <>
          <Holders
            label={t('customer.people')}
            people={people.rows}
            empty={t('customer.noPeople')}
            canTake={() => mayEdit}
            question={(_, name) => t('customer.takeFrom', { name, customer: customer_name })}
            isTaking={unassign.isPending}
            onTake={({ user_id }, done) =>
              unassign.mutate(
                { user_id, customer_id: [customer_id] },
                { onSuccess: () => refresh('user'), onSettled: done },
              )
            }
          />
          {people.remote.hasMore && (
            <Button size="compact-sm" variant="subtle" loading={people.remote.isFetching} onClick={people.remote.more}>
              {t('people.more')}
            </Button>
          )}
        </>
      )}
      {mayEdit && people.rows && (
        <div className={classes.below}>
          <GiveTo
            description={t('customer.giveHint')}
            organizationId={organization_id}
            without={new Set(people.rows.map(({ user_id }) => user_id))}
            isGiving={assign.isPending}
            onGive={(user_id, done) =>
              assign.mutate(
                { user_id, customer_id: [customer_id] },
                {
                  onSuccess: () => {
                    refresh('user')
                    done()
                  },
                },
              )
            }
          />
        </div>
      )}
    </section>
  )
}
