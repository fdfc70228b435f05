import { Button, Code, CopyButton, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Go } from '../ui/Go.tsx'
import { Logo } from '../ui/Logo.tsx'
import classes from './ErrorPage.module.css'

type Props = { code: 500 | 404 | 400; status?: string; message?: string; trace?: string }

/** The error pages, without the shell; they need no API. Their headings are fixed words of the specification. */
export function ErrorPage({ code, status, message, trace }: Props) {
  const { t } = useTranslation()
  return (
    <main className={classes.root}>
      <Logo size={40} />
      <h1 className={classes.title}>{t(`errorPage.title${code}`)}</h1>
      <p className={classes.text}>
        {t('errorPage.code')} <b className="num">{status ?? code}</b> · {message ?? t(`errorPage.text${code}`)}
      </p>
      {trace && (
        <CopyButton value={trace}>
          {({ copied, copy }) => (
            <Group gap={8} justify="center" mb="lg">
              <span className="muted">{t('errorPage.trace')}</span>
              <Code>{trace}</Code>
              <Button variant="default" size="compact-sm" onClick={copy}>
                {copied ? t('common.copied') : t('common.copy')}
              </Button>
            </Group>
          )}
        </CopyButton>
      )}
      <Group justify="center" gap="sm">
        <Button component={Go} to="/">
          {t('errorPage.out')}
        </Button>
        <Button component={Go} to="/support" variant="default">
          {t('errorPage.support')}
        </Button>
      </Group>
    </main>
  )
}

export const NotFoundPage = () => <ErrorPage code={404} />
