import type { UsecaseKey } from '@sightline/domain'
import { useTranslation } from 'react-i18next'
import { Go } from '../ui/Go.tsx'
import classes from './dashboard.module.css'
import { rememberView, type View, views } from './views.ts'

/** The three faces of the dashboard; each has an address of its own. */
export function ViewSwitch({ view, uc }: { view: View; uc: UsecaseKey | undefined }) {
  const { t } = useTranslation()
  return (
    <nav className={classes.views} aria-label={t('dashboard.views')}>
      {views.map((one) => (
        <Go
          key={one}
          to="/dashboard"
          search={{ view: one, uc }}
          replace
          aria-current={one === view ? 'page' : undefined}
          onClick={() => rememberView(one)}
        >
          {t(`dashboard.view.${one}`)}
        </Go>
      ))}
    </nav>
  )
}
