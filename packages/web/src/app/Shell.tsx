import { AppShell, Burger, Kbd, UnstyledButton } from '@mantine/core'
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks'
import { IconHelpCircle, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import { Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { session, useMay } from '../session.ts'
import { useStore } from '../store.ts'
import { Go } from '../ui/Go.tsx'
import { StatusDot } from '../ui/Health.tsx'
import { Logo } from '../ui/Logo.tsx'
import { BannerSlot } from './BannerSlot.tsx'
import { Bell } from './Bell.tsx'
import { Breadcrumb } from './Breadcrumb.tsx'
import { EdgeWatch, useEdge } from './edge.ts'
import { Footer } from './Footer.tsx'
import { useInstance } from './instance.ts'
import { LicenseWatch } from './LicenseWatch.ts'
import { Menu } from './Menu.tsx'
import { part } from './part.ts'
import { ServerWatch } from './ServerWatch.tsx'
import classes from './Shell.module.css'
import { SingleKeys } from './SingleKeys.tsx'
import { useTheme } from './theme.ts'

const AccountMenu = part(() => import('./AccountMenu.tsx'))
const DiskWatch = part(() => import('./DiskWatch.tsx'))
const HealthWatch = part(() => import('./HealthWatch.tsx'))
const Palette = part(() => import('./Palette.tsx'))
const PictureClarity = part(() => import('./PictureClarity.tsx'))
const PhoneMenu = part(() => import('./PhoneMenu.tsx'))

/** The default layout: system bar, menu, breadcrumb, banner, page, footer. Empty in the moment of signing out. */
export function Shell({ children }: { children?: ReactNode }) {
  return useStore(session, Boolean) ? <SignedIn>{children}</SignedIn> : null
}

function SignedIn({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const [isOpen, { toggle, close }] = useDisclosure()
  const [isSearching, setIsSearching] = useState(false)
  const mayCare = useMay('admin_and_above')
  const isRail = useMediaQuery('(max-width: 1180px)', false, { getInitialValueInEffect: false })
  useHotkeys([['mod+K', () => setIsSearching(true)]], [])

  // A screen reader begins at the top of the new screen.
  const previous = useRef(pathname)
  useEffect(() => {
    if (previous.current !== pathname) main.current?.focus({ preventScroll: true })
    previous.current = pathname
  }, [pathname])

  return (
    <AppShell
      header={{ height: 54 }}
      navbar={{ width: { md: 60, lg: 236 }, breakpoint: 'md', collapsed: { mobile: true } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className={classes.skip} href="#main">
        {t('shell.skip')}
      </a>
      <AppShell.Header className={`${classes.bar} no-print`}>
        <SystemBar isMenuOpen={isOpen} onMenu={toggle} onSearch={() => setIsSearching(true)} />
      </AppShell.Header>
      <AppShell.Navbar className={`${classes.nav} no-print`} p={isRail ? 8 : 'sm'}>
        <Menu isRail={isRail} />
      </AppShell.Navbar>
      {isOpen && (
        <Suspense>
          <PhoneMenu onClose={close} />
        </Suspense>
      )}
      <AppShell.Main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <div className={classes.wrap}>
          <Breadcrumb />
          <BannerSlot />
          <div className={classes.page}>{children ?? <Outlet />}</div>
          <Footer />
        </div>
      </AppShell.Main>
      <ServerWatch />
      <EdgeWatch />
      <LicenseWatch />
      <Suspense>
        <HealthWatch />
        {mayCare && <DiskWatch />}
      </Suspense>
      <SingleKeys />
      {isSearching && (
        <Suspense>
          <Palette onClose={() => setIsSearching(false)} />
        </Suspense>
      )}
    </AppShell>
  )
}

type BarProps = { isMenuOpen: boolean; onMenu: () => void; onSearch: () => void }

function SystemBar({ isMenuOpen, onMenu, onSearch }: BarProps) {
  const { t } = useTranslation()
  const { name, logo } = useInstance()
  const { isDark, choose } = useTheme()
  const edge = useEdge()
  const seesBlurred = useStore(session, (user) => !user?.privileges.includes('picture.clear'))
  const edgeText = !edge
    ? t('shell.edgeNone')
    : edge.online === null
      ? t('shell.edgeAway')
      : t('shell.edge', { online: edge.online, total: edge.total })
  return (
    <div className={classes.row}>
      <div className={classes.brand}>
        <Burger hiddenFrom="md" size="sm" opened={isMenuOpen} onClick={onMenu} aria-label={t('shell.menu')} />
        <Go to="/" className={classes.home}>
          <Logo src={logo} />
          <b className="hide-sm">{name}</b>
          <span className="sr"> {t('shell.home')}</span>
        </Go>
      </div>
      <UnstyledButton className={`${classes.search} hide-sm`} onClick={onSearch}>
        <IconSearch size={16} aria-hidden="true" />
        <span className="truncate">{t('shell.search')}</span>
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <div className={classes.tools}>
        <UnstyledButton className={classes.tool} hiddenFrom="sm" aria-label={t('shell.search')} onClick={onSearch}>
          <IconSearch size={19} aria-hidden="true" />
        </UnstyledButton>
        <Go to="/configuration" className={`${classes.edge} hide-sm`} title={edgeText}>
          <span className="sr">{edgeText}</span>
          <StatusDot tone={edge?.tone ?? 'neutral'} />
          {edge && (
            <span className="t2 num" aria-hidden="true">
              {edge.online ?? '–'}/{edge.total}
            </span>
          )}
        </Go>
        <UnstyledButton
          className={classes.tool}
          aria-label={isDark ? t('shell.theme.light') : t('shell.theme.dark')}
          onClick={() => choose(isDark ? 'light' : 'dark')}
        >
          {isDark ? <IconSun size={19} stroke={1.7} /> : <IconMoon size={19} stroke={1.7} />}
        </UnstyledButton>
        {seesBlurred && (
          <Suspense>
            <PictureClarity className={classes.tool} />
          </Suspense>
        )}
        <Bell className={classes.tool} />
        <Go to="/support" className={`${classes.tool} hide-sm`} aria-label={t('shell.help')}>
          <IconHelpCircle size={19} stroke={1.7} aria-hidden="true" />
        </Go>
        <Suspense fallback={<span className={classes.tool} />}>
          <AccountMenu />
        </Suspense>
      </div>
    </div>
  )
}
