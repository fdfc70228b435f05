import { may } from '@sightline/domain'
import { useLocation } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { menu, type Path } from '../screens.ts'
import { useUser } from '../session.ts'
import { Go } from '../ui/Go.tsx'
import { FirstRunPin } from './FirstRunPin.tsx'
import { icons } from './icons.ts'
import classes from './Menu.module.css'
import { hasScreen, useModules } from './modules.ts'
import { part } from './part.ts'
import { bare } from './verdict.ts'

const CustomerSwitcher = part(() => import('./CustomerSwitcher.tsx'))

/** The entry that a path belongs to: the longest that it begins with; analytics and cameras lie under their sites. */
export function entryOf(pathname: string, entries: readonly Path[]): Path | null {
  const path = bare(pathname)
  const home = path.startsWith('/device') || path.startsWith('/channel') ? '/site' : path
  const fits = entries.filter((entry) => home === entry || home.startsWith(`${entry}/`))
  return fits.toSorted((a, b) => b.length - a.length)[0] ?? null
}

/** The menu: only what the server lists and the role may see, in our order. */
export function useMenu() {
  const modules = useModules()
  const { role_key } = useUser()
  return menu
    .map(({ group, entries }) => ({
      group,
      paths: entries
        .filter(({ path, rule }) => hasScreen(modules, path) && may(role_key, rule))
        .map(({ path }) => path),
    }))
    .filter(({ paths }) => paths.length > 0)
}

/** @param isRail icons alone, the words as their names */
export function Menu({ onGo, isRail }: { onGo?: () => void; isRail?: boolean }) {
  const { t } = useTranslation()
  const groups = useMenu()
  const { pathname } = useLocation()
  const current = entryOf(
    pathname,
    groups.flatMap(({ paths }) => paths),
  )
  return (
    <div className={classes.root} data-rail={isRail || undefined}>
      <Suspense fallback={<div className={classes.customer} />}>
        <CustomerSwitcher isRail={isRail} onGo={onGo} />
      </Suspense>
      <nav aria-label={t('shell.main')} className={classes.scroll}>
        {groups.map(({ group, paths }) => (
          <div key={group}>
            <div className={classes.section}>{t(`shell.groups.${group}`)}</div>
            {paths.map((path) => {
              const Icon = icons[path]
              return (
                <Go
                  key={path}
                  to={path}
                  className={classes.entry}
                  aria-current={path === current ? 'page' : undefined}
                  title={isRail ? t(`screen.${path}`) : undefined}
                  onClick={onGo}
                >
                  {Icon && <Icon size={isRail ? 20 : 17} stroke={1.7} aria-hidden="true" />}
                  <span className={classes.word}>{t(`screen.${path}`)}</span>
                </Go>
              )
            })}
          </div>
        ))}
      </nav>
      {!isRail && <FirstRunPin onGo={onGo} />}
    </div>
  )
}
