import {
  Alert,
  Button,
  Collapse,
  Group,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type License, type Nimble, nimbleDraft, nimbleExample } from '@sightline/contract'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type * as z from 'zod'
import { api } from '../app/client.ts'
import { hasScreen, useModules } from '../app/modules.ts'
import { licenseName } from '../i18n/seeded.ts'
import { causeText } from '../i18n/words.ts'
import { useUser } from '../session.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Go } from '../ui/Go.tsx'
import { asJson, jsonText } from '../ui/json-text.ts'
import { OrganizationSelect } from '../ui/OrganizationSelect.tsx'
import { Panel } from '../ui/Panel.tsx'
import classes from './nimble.module.css'

export type EdgeInput = z.output<typeof nimbleDraft>

const shape = nimbleDraft.shape
/** The form's shape: as the draft, the three lists as JSON text. */
const formSchema = nimbleDraft.extend({
  pipelines: jsonText(shape.pipelines),
  sinks: jsonText(shape.sinks),
  sources: jsonText(shape.sources),
})

const defaults = { connection_timeout: 60, wait_between_retry: 10, retry_times: -1 }
/** Tries that the form offers when "for ever" is switched off. */
const someTries = 10

/** One that dials this portal has no address to be dialled at. */
const inputOf = <V extends { mode: Nimble['mode'] }>(values: V) =>
  values.mode === 'dial' ? values : { ...values, address: undefined, port: undefined }

type Props = {
  nimble?: Nimble
  licenses: readonly License[]
  mayBind: boolean
  submitLabel: string
  /** @param version of the stored edge server that the input came from */
  onSubmit: (input: EdgeInput, version: number | undefined) => Promise<unknown>
  onCancel: () => void
}

/** Whether an edge server can be bound to it. */
const counts = ({ state }: License): boolean => state !== 'foreign'

export function EdgeForm({ nimble, licenses, mayBind, submitLabel, onSubmit, onCancel }: Props) {
  const { t } = useTranslation()
  const [isAdvanced, { toggle }] = useDisclosure()
  const { organization_id: own } = useUser()
  const owner = nimble?.organization_id ?? own
  const licensesOf = (organization: string) => licenses.filter((one) => one.organization_id === organization)
  const firstOf = (organization: string) => licensesOf(organization).find(counts)?.license_id ?? ''
  const { values, form, field, frame, isSaving } = useDraftForm({
    name: nimble ? `nimble.edit:${nimble.nimble_id}` : 'nimble.add',
    initial: {
      name: nimble?.name ?? '',
      mode: nimble?.mode ?? ('dial' as Nimble['mode']),
      address: nimble?.address ?? '',
      port: (nimble?.port ?? '') as number | '',
      organization_id: owner,
      license_id: nimble?.license_id ?? firstOf(owner),
      connection_timeout: nimble?.connection_timeout ?? defaults.connection_timeout,
      wait_between_retry: nimble?.wait_between_retry ?? defaults.wait_between_retry,
      retry_times: nimble?.retry_times ?? defaults.retry_times,
      pipelines: asJson(nimble?.pipelines ?? nimbleExample.pipelines),
      sinks: asJson(nimble?.sinks ?? nimbleExample.sinks),
      sources: asJson(nimble?.sources ?? nimbleExample.sources),
    },
    version: nimble?.version,
    schema: formSchema,
    toInput: inputOf,
    submit: (filled, version) => onSubmit(formSchema.parse(inputOf(filled)), version),
  })
  const modules = useModules()
  const offered = licensesOf(values.organization_id)
  const dials = values.mode === 'dial'

  const isForever = values.retry_times === -1
  const canTest = values.address !== '' && typeof values.port === 'number'
  return (
    <Form {...frame}>
      <Stack gap="md" maw={860}>
        <Panel>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput label={t('nimble.form.name')} withAsterisk autoFocus {...field('name')} />
            <Select
              label={t('nimble.form.license')}
              description={nimble && !mayBind ? t('nimble.form.licenseSuper') : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              withAsterisk
              allowDeselect={false}
              disabled={Boolean(nimble) && !mayBind}
              data={offered.map((one) => ({
                value: one.license_id,
                label: [
                  `${licenseName(one)} (${one.channels_used}/${one.channel_limit})`,
                  ...(counts(one) ? [] : [t('license.state.foreign')]),
                ].join(' · '),
                disabled: !counts(one) && one.license_id !== nimble?.license_id,
              }))}
              {...field('license_id')}
            />
            {!nimble && (
              <OrganizationSelect
                {...field('organization_id')}
                onChange={(next) => {
                  form.setFieldValue('organization_id', next)
                  form.setFieldValue('license_id', firstOf(next))
                }}
              />
            )}
          </SimpleGrid>
          {offered.length === 0 && (
            <Alert color="orange" variant="light" mt="md">
              {t('nimble.form.noLicense')}{' '}
              {hasScreen(modules, '/license') ? (
                <Go to="/license">{t('channel.add.toLicenses')}</Go>
              ) : (
                t('empty.askAdmin')
              )}
            </Alert>
          )}
          <Radio.Group mt="md" label={t('nimble.form.mode')} {...field('mode')}>
            <Stack gap={8} mt={6}>
              {(['dial', 'enrolled'] as const).map((mode) => (
                <Radio
                  key={mode}
                  value={mode}
                  label={t(`nimble.mode.${mode}`)}
                  description={t(`nimble.modeHint.${mode}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          {dials && (
            <>
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="md">
                <TextInput
                  label={t('nimble.form.address')}
                  description={t('nimble.form.addressHint')}
                  inputWrapperOrder={['label', 'input', 'description', 'error']}
                  withAsterisk
                  {...field('address')}
                />
                <NumberInput label={t('nimble.form.port')} withAsterisk hideControls {...field('port')} />
              </SimpleGrid>
              <TestConnection address={values.address} port={Number(values.port)} canTest={canTest} />
            </>
          )}
        </Panel>
        <Panel title={t('nimble.form.connection')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <NumberInput
              label={t('nimble.form.timeout')}
              description={t('nimble.form.timeoutHint')}
              {...field('connection_timeout')}
            />
            <NumberInput label={t('nimble.form.wait')} description={'\u00a0'} {...field('wait_between_retry')} />
          </SimpleGrid>
          <Switch
            mt="md"
            label={t('nimble.form.forever')}
            checked={isForever}
            onChange={({ currentTarget: { checked } }) => form.setFieldValue('retry_times', checked ? -1 : someTries)}
          />
          {!isForever && <NumberInput mt="sm" maw={200} label={t('nimble.form.times')} {...field('retry_times')} />}
        </Panel>
        <Panel>
          <Button
            variant="subtle"
            color="gray"
            px={4}
            onClick={toggle}
            aria-expanded={isAdvanced}
            rightSection={<IconChevronDown size={15} />}
          >
            {t('nimble.form.advanced')}
          </Button>
          <Collapse expanded={isAdvanced}>
            <Stack gap="sm" mt="sm">
              <Alert color="gray" variant="light">
                {t('nimble.form.keptOnly')}
              </Alert>
              {(['pipelines', 'sinks', 'sources'] as const).map((list) => (
                <Textarea
                  key={list}
                  label={t(`nimble.form.${list}`)}
                  description={t(`nimble.form.instead.${list}`)}
                  classNames={{ input: classes.json }}
                  spellCheck={false}
                  {...field(list)}
                />
              ))}
            </Stack>
          </Collapse>
        </Panel>
        <FormActions submitLabel={submitLabel} isSaving={isSaving} onCancel={onCancel} />
      </Stack>
    </Form>
  )
}

/** Tries the address before anything is saved. */
function TestConnection({ address, port, canTest }: { address: string; port: number; canTest: boolean }) {
  const { t } = useTranslation()
  const test = useMutation(api.nimble.test.mutation({ quiet: true, inline: true }))
  const answer = test.data
  return (
    <Group mt="md" gap="sm">
      <Button
        variant="default"
        disabled={!canTest}
        loading={test.isPending}
        onClick={() => test.mutate({ address, port })}
      >
        {t('nimble.form.test')}
      </Button>
      <span className="t2 num" role="status" style={{ fontSize: 13 }}>
        {answer?.ok && t('nimble.form.ok', { version: answer.engine_version ?? '?', ms: Math.round(answer.ms) })}
        {answer && !answer.ok && (answer.cause ? causeText(answer.cause) : t('nimble.form.failed'))}
        {test.error?.message}
      </span>
    </Group>
  )
}
