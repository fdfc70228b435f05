import type { Reply, Site, api as table } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useMay } from '../session.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { GiveTo, Holders } from '../ui/people/Holders.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'

type Person = Reply<(typeof table)['user']['bySite']>[number]

/** Who reaches a site and by what; it is given to people here and taken from them. */
export function UsersTab({ site }: { site: Site }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { site_id, site_name } = site
  const people = useQuery(api.user.bySite.query({ site_id }))
  const assign = useMutation(api.site.assign.mutation())
  const unassign = useMutation(api.site.unassign.mutation())
  const holders = new Set(people.data?.filter(({ by }) => by.includes('site')).map(({ user_id }) => user_id))
  return (
    <Panel title={t('site.users.title')} hint={t('site.users.hint')}>
      {people.isError && !people.data ? (
        <ErrorPanel error={people.error} onRetry={() => void people.refetch()} />
      ) : !people.data ? (
        <RowsSkeleton rows={4} height={42} />
      ) : (
        <div className="stack">
          <Holders
            label={t('site.users.title')}
            people={people.data}
            empty={t('site.users.none')}
            tagsOf={({ by }) => by.map((way) => <Way key={way} way={way} customerId={site.customer_id} />)}
            canTake={({ by }) => mayEdit && by.includes('site')}
            question={({ by }, name) => (
              <>
                {t('site.users.take', { name, site: site_name })}
                {by.length > 1 && ` ${t('site.users.stays', { name })}`}
              </>
            )}
            isTaking={unassign.isPending}
            onTake={({ user_id }, done) =>
              unassign.mutate({ user_id, site_id: [site_id] }, { onSuccess: () => refresh('user'), onSettled: done })
            }
          />
          {mayEdit && (
            <GiveTo
              description={t('site.users.giveHint')}
              organizationId={site.organization_id}
              without={holders}
              isGiving={assign.isPending}
              onGive={(user_id, done) =>
                assign.mutate(
                  { user_id, site_id: [site_id] },
                  {
                    onSuccess: () => {
                      refresh('user')
                      done()
                    },
                  },
                )
              }
            />
          )}
        </div>
      )}
    </Panel>
  )
}

function Way({ way, customerId }: { way: Person['by'][number]; customerId: string }) {
  const { t } = useTranslation()
  const seesCustomers = useMay('super_and_admin_access')
  // There it can be taken away.
  if (way === 'customer' && seesCustomers)
    return (
      <Go to="/customer" search={{ cuid: customerId }}>
        {t('site.users.by.customer')}
      </Go>
    )
  return <Tag>{t(`site.users.by.${way}`)}</Tag>
}
