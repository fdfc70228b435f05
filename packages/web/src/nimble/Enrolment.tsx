import { Alert, Button, CopyButton, Group, Text } from '@mantine/core'
import type { Nimble } from '@sightline/contract'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { Panel } from '../ui/Panel.tsx'
import { enrolCommand } from './enrol-command.ts'
import classes from './nimble.module.css'
import { formatEdgeTime } from './state.ts'

type Props = {
  nimble: Nimble
  /** A new command is the next step. */
  isWanted: boolean
}

/** The command by which an edge server behind NAT makes itself known; its token serves once and not for long. */
export function Enrolment({ nimble: { nimble_id, key_state }, isWanted }: Props) {
  const { t } = useTranslation()
  const enrol = useMutation(api.nimble.enrol.mutation({ quiet: true, inline: true }))
  const made = enrol.data && { ...enrol.data, ...enrolCommand(enrol.data.command, location.origin) }
  const isKnown = key_state === 'pinned'
  return (
    <Panel title={t('nimble.enrol.title')} hint={t(isKnown ? 'nimble.enrol.known' : 'nimble.enrol.hint')}>
      {made && (
        <>
          <Text size="sm" className="t2">
            {t('nimble.enrol.run')}
          </Text>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre className={classes.command} tabIndex={0}>
            {made.command}
          </pre>
          {made.isHereOnly && (
            <Alert color="orange" role="status" mb="sm">
              {t('nimble.enrol.hereOnly')}
            </Alert>
          )}
          <Text size="sm" className="muted num">
            {t('nimble.enrol.until', { time: formatEdgeTime(made.expires_at) })}
          </Text>
        </>
      )}
      {enrol.isError && (
        <Alert color="red" role="alert">
          {enrol.error.message}
        </Alert>
      )}
      <Group mt={made || enrol.isError ? 'md' : 0} gap="xs">
        {made && (
          <CopyButton value={made.command}>
            {({ copied, copy }) => (
              <Button
                onClick={copy}
                leftSection={
                  copied ? <IconCheck size={16} aria-hidden="true" /> : <IconCopy size={16} aria-hidden="true" />
                }
              >
                {t(copied ? 'common.copied' : 'common.copy')}
              </Button>
            )}
          </CopyButton>
        )}
        <Button
          variant={made || (isKnown && !isWanted) ? 'default' : 'filled'}
          loading={enrol.isPending}
          onClick={() => enrol.mutate({ nimble_id })}
        >
          {t(made ? 'nimble.enrol.again' : 'nimble.enrol.make')}
        </Button>
      </Group>
    </Panel>
  )
}
