import { CloseButton } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useMay, useUser } from '../session.ts'
import { Go } from '../ui/Go.tsx'
import { saveConfig } from './customer.ts'
import classes from './FirstRunPin.module.css'

/** The first run stays in reach, at the lower left, until it is finished or put away. */
export function FirstRunPin({ onGo }: { onGo?: () => void }) {
  const { t } = useTranslation()
  const isSuperAdmin = useMay('super_admin_only')
  const isAway = useUser().user_config.ui_config.checklist_done === true
  if (!isSuperAdmin || isAway) return null
  return (
    <div className={classes.root}>
      <IconListCheck size={18} stroke={1.7} aria-hidden="true" />
      <Go to="/onboarding" className={classes.link} onClick={onGo}>
        {t('common.pair', { name: t('onboarding.pin'), text: t('onboarding.pinContinue') })}
      </Go>
      <CloseButton
        size="sm"
        aria-label={t('onboarding.pinAway')}
        onClick={() => void saveConfig({ checklist_done: true })}
      />
    </div>
  )
}
