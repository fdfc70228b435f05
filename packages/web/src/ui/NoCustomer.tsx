import { Button } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../session.ts'
import { Empty } from './Empty.tsx'
import { Go } from './Go.tsx'
import { PageHeader } from './PageHeader.tsx'
import { Panel } from './Panel.tsx'

/** In the place of a screen about a customer, while there is none. */
export function NoCustomer({ title }: { title: string }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  return (
    <>
      <PageHeader title={title} />
      <Panel>
        <Empty
          icon={<IconBuilding stroke={1.5} />}
          title={t('dashboard.noCustomer')}
          text={t('dashboard.noCustomerText')}
          forbidden={!mayEdit}
          action={
            <Button component={Go} to="/customer/add">
              {t('site.addCustomer')}
            </Button>
          }
        />
      </Panel>
    </>
  )
}
