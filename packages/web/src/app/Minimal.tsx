import { SegmentedControl, UnstyledButton } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { type Language, language, languages } from '../i18n/index.ts'
import { Logo } from '../ui/Logo.tsx'
import { BannerSlot } from './BannerSlot.tsx'
import { useInstance } from './instance.ts'
import classes from './Minimal.module.css'
import { useTheme } from './theme.ts'
import { useChooseLanguage } from './use-language.ts'

/** The minimal layout: instance, language, theme, alert card, and one thing to do. */
type Props = {
  children: ReactNode
  /** Room for a wizard instead of one card. */
  wide?: boolean
  /** Beside the card where there is room for it. */
  beside?: ReactNode
}

export function Minimal({ children, wide, beside }: Props) {
  const { t } = useTranslation()
  const { name, logo } = useInstance()
  const { isDark, choose } = useTheme()
  const chooseLanguage = useChooseLanguage()
  return (
    <div className={classes.root}>
      <header className={classes.bar}>
        <span className={classes.brand}>
          <Logo src={logo} />
          <b>{name}</b>
        </span>
        <span className={classes.tools}>
          <SegmentedControl
            size="xs"
            aria-label={t('shell.language')}
            value={language()}
            onChange={(next) => void chooseLanguage(next as Language)}
            data={languages.map((one) => ({ value: one, label: one.toUpperCase() }))}
          />
          <UnstyledButton
            className={classes.tool}
            aria-label={isDark ? t('shell.theme.light') : t('shell.theme.dark')}
            onClick={() => choose(isDark ? 'light' : 'dark')}
          >
            {isDark ? <IconSun size={19} stroke={1.7} /> : <IconMoon size={19} stroke={1.7} />}
          </UnstyledButton>
        </span>
      </header>
      <div className={classes.ground}>
        {beside && <div className={classes.beside}>{beside}</div>}
        <main className={classes.main} data-wide={wide || undefined} id="main">
          <BannerSlot />
          {children}
        </main>
      </div>
    </div>
  )
}

/** The card in the middle of a minimal screen. */
export function MinimalCard({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.card}>
      <h1 className={classes.title}>{title}</h1>
      {hint && <p className={classes.hint}>{hint}</p>}
      {children}
    </div>
  )
}
