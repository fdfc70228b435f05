import { Button } from '@mantine/core'
import { IconServer2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../ui/Empty.tsx'
import { Go } from '../ui/Go.tsx'
import { Panel } from '../ui/Panel.tsx'

/** The organization of the site has no edge server that could read its cameras. */
export function NoEdge() {
  const { t } = useTranslation()
  return (
    <Panel>
      <Empty
        icon={<IconServer2 stroke={1.5} />}
        title={t('nimble.empty')}
        text={t('nimble.emptyText')}
        action={
          <Button component={Go} to="/configuration/add">
            {t('nimble.add')}
          </Button>
        }
      />
    </Panel>
  )
}
