import {
  Alert,
  Button,
  CopyButton,
  Group,
  MultiSelect,
  NumberInput,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type Reply, api as table } from '@sightline/contract'
import { type BundleKey, bundleKeys } from '@sightline/domain'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatDate } from '../i18n/format.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'

type Issued = Reply<(typeof table)['license']['issue']>
type Values = { customer: string; channels: number; bundles: BundleKey[]; is_all: boolean; until: string }

/** To the end of the day that was chosen, by the clock of whoever chose it. */
const endOfDay = (day: string) => (day === '' ? null : new Date(`${day}T23:59:59`).toISOString())

const inputOf = ({ customer, channels, bundles, is_all, until }: Values) => ({
  customer,
  channels,
  bundles: is_all ? null : bundles,
  until: endOfDay(until),
})

/** Makes a licence key for a customer, signed by this instance. The key is shown once. */
export function IssueLicense({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const [issued, setIssued] = useState<Issued | null>(null)
  if (issued) return <Key issued={issued} onDone={onDone} />
  return <Wish onIssued={setIssued} onCancel={onDone} label={t('license.issue.make')} />
}

type WishProps = { onIssued: (issued: Issued) => void; onCancel: () => void; label: string }

function Wish({ onIssued, onCancel, label }: WishProps) {
  const { t } = useTranslation()
  const { values, form, field, frame, isSaving } = useDraftForm<Values>({
    name: 'license.issue',
    initial: { customer: '', channels: 16, bundles: [], is_all: true, until: '' },
    schema: table.license.issue.input,
    toInput: inputOf,
    async submit(filled) {
      const result = await api.license.issue.call(inputOf(filled))
      if (!result.status) throw result.failure
      onIssued(result.data)
    },
  })
  return (
    <Form {...frame}>
      <Stack gap="sm">
        <TextInput label={t('license.for')} withAsterisk data-autofocus {...field('customer')} />
        <NumberInput label={t('license.issue.channels')} withAsterisk min={1} {...field('channels')} />
        <TextInput
          type="date"
          label={t('license.until')}
          description={t('license.issue.untilHint')}
          min={new Date().toISOString().slice(0, 10)}
          value={values.until}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('until', value)}
          error={field('until').error}
        />
        <Switch label={t('license.allBundles')} {...field('is_all', { type: 'checkbox' })} />
        {!values.is_all && (
          <MultiSelect
            label={t('license.bundles')}
            withAsterisk
            data={bundleKeys.map((key) => ({ value: key, label: t(`usecase.bundle.${key}`) }))}
            {...field('bundles')}
          />
        )}
      </Stack>
      <FormActions submitLabel={label} isSaving={isSaving} onCancel={onCancel} />
    </Form>
  )
}

function Key({ issued, onDone }: { issued: Issued; onDone: () => void }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Alert color="orange" role="status">
        {t('license.issue.once')}
      </Alert>
      <Textarea
        label={t('license.key')}
        description={[
          issued.customer,
          t('license.issue.room', { count: issued.channels }),
          issued.until ? t('license.expires', { date: formatDate(issued.until) }) : t('license.never'),
        ].join(' · ')}
        readOnly
        spellCheck={false}
        data-autofocus
        value={issued.license_key}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          {t('common.close')}
        </Button>
        <CopyButton value={issued.license_key}>
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
      </Group>
    </Stack>
  )
}
