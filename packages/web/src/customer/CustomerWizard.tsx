import { Button, Checkbox, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { customerDraft, type Site, siteDraft } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { words } from '../i18n/words.ts'
import { useUser } from '../session.ts'
import { AddressFields } from '../ui/AddressFields.tsx'
import { countryName } from '../ui/CountrySelect.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Form, useDraftForm } from '../ui/form.tsx'
import { useGo } from '../ui/Go.tsx'
import { OrganizationSelect } from '../ui/OrganizationSelect.tsx'
import { Panel } from '../ui/Panel.tsx'
import { browserZone, TimezoneSelect } from '../ui/TimezoneSelect.tsx'
import { Wizard } from '../ui/Wizard.tsx'

const steps = ['identity', 'address', 'site', 'review'] as const
export type CustomerStep = (typeof steps)[number]

const parts = ['unit', 'street', 'area', 'city', 'state', 'country', 'zip'] as const
type Address = Record<`customer_${(typeof parts)[number]}`, string>
type Values = {
  organization_id: string
  customer_name: string
  description: string
  is_default: boolean
  customer_address: Address
  has_site: boolean
  has_same_address: boolean
  site_name: string
  site_timezone: string
  /** Where the address is, once it was looked up; of another address it says nothing. */
  site_place: { lat: number; long: number; address: string } | null
}

const customerOf = ({ organization_id, customer_name, description, is_default, customer_address }: Values) => ({
  organization_id,
  customer_name,
  description,
  is_default,
  customer_address,
})
/** What of an address is looked up. */
const lookedUp = ({ customer_country, customer_zip, customer_city }: Address) =>
  `${customer_country} ${customer_zip.trim() || customer_city.trim()}`

/** Where the first site is put; null when nobody knows. */
const placeOf = ({ has_same_address, site_place, customer_address }: Values) =>
  has_same_address && site_place?.address === lookedUp(customer_address)
    ? { lat: site_place.lat, long: site_place.long }
    : null

const siteOf = (values: Values, customer_id: string) => ({
  customer_id,
  site_name: values.site_name,
  site_address: {
    site_timezone: values.site_timezone,
    ...(values.has_same_address &&
      Object.fromEntries(parts.map((part) => [`site_${part}`, values.customer_address[`customer_${part}`]]))),
    ...placeOf(values),
  },
})

/** Stands in while the customer has no id yet: only the form of it is checked. */
const anyId = '00000000-0000-7000-8000-000000000000'
const schema = customerDraft
  .extend({
    has_site: siteDraft.shape.faces_allowed,
    has_same_address: siteDraft.shape.faces_allowed,
    site_name: customerDraft.shape.description,
    site_timezone: customerDraft.shape.description,
    // It comes from the portal, not from the keyboard.
    site_place: z.unknown(),
  })
  .superRefine((values, issue) => {
    if (!values.has_site) return
    const site = siteDraft.safeParse(siteOf(values as Values, anyId))
    for (const { path, message } of site.error?.issues ?? []) {
      const name = String(path.at(-1))
      issue.addIssue({ code: 'custom', path: [name === 'site_timezone' ? name : 'site_name'], message })
    }
  })

/** Which fields a step holds: it is left only when they are right. */
const fieldsOf: Record<CustomerStep, RegExp> = {
  identity: /^(organization_id|customer_name|description|is_default)/,
  address: /^customer_address/,
  site: /^site_/,
  review: /^$/,
}

type Props = { step: CustomerStep; onStep: (step: CustomerStep) => void }

/** A new customer, step by step: who, where, and perhaps its first site; everything is created at the end. */
export function CustomerWizard({ step, onStep }: Props) {
  const { t, i18n } = useTranslation()
  const go = useGo()
  const { organization_id } = useUser()
  const [furthest, setFurthest] = useState(0)
  const { form, values, field, frame, isSaving } = useDraftForm<Values>({
    name: 'customer.wizard',
    initial: {
      organization_id,
      customer_name: '',
      description: '',
      is_default: false,
      customer_address: Object.fromEntries(parts.map((part) => [`customer_${part}`, ''])) as Address,
      has_site: false,
      has_same_address: true,
      site_name: '',
      site_timezone: browserZone(),
      site_place: null,
    },
    schema,
    async submit(filled) {
      const result = await api.customer.create.call(customerOf(filled))
      if (!result.status) {
        // What is wrong stands in an earlier step.
        const [field] = Object.keys(result.failure.errors)
        const place = steps.find((one) => field && fieldsOf[one].test(field))
        if (place) onStep(place)
        throw result.failure
      }
      const { customer_id } = result.data
      notify({ type: 'success', text: words.pair('customer.create').done })
      refresh('customer')
      let site: Site | null = null
      if (filled.has_site) {
        const made = await api.site.create.call(siteOf(filled, customer_id))
        if (made.status) site = made.data
        else notify({ type: 'error', text: t('customer.wizard.siteFailed', { text: made.message.text }) })
        refresh('site')
      }
      if (site) go('/site/detail', { sid: site.site_id }, { ignoreBlocker: true })
      else go('/customer', { cuid: customer_id }, { ignoreBlocker: true })
    },
  })
  const index = steps.indexOf(step)
  const next = () => {
    const { errors } = form.validate()
    const here = Object.keys(errors).filter((path) => fieldsOf[step].test(path))
    form.setErrors(Object.fromEntries(here.map((path) => [path, errors[path]])))
    const [first] = here
    if (first) {
      form.getInputNode(first)?.focus()
      return
    }
    const after = steps[index + 1]
    if (!after) return
    setFurthest(Math.max(furthest, index + 1))
    onStep(after)
  }
  const address = values.customer_address
  return (
    <Wizard
      title={t('customer.add')}
      current={step}
      steps={steps.map((id, at) => ({
        id,
        label: t(`customer.wizard.${id}`),
        isDone: at < index,
        isOpen: at <= furthest,
      }))}
      onStep={(id) => onStep(id as CustomerStep)}
    >
      <Form
        {...frame}
        onSubmit={(submitted) => {
          submitted.preventDefault()
          if (step === 'review') frame.onSubmit(submitted)
          else next()
        }}
      >
        <Panel title={t(`customer.wizard.${step}`)} hint={step === 'site' ? t('customer.wizard.siteText') : undefined}>
          {step === 'identity' && (
            <Stack gap="sm">
              <TextInput label={t('customer.name')} withAsterisk autoFocus {...field('customer_name')} />
              <OrganizationSelect description={t('organization.customerHint')} {...field('organization_id')} />
              <Textarea label={t('common.description')} {...field('description')} />
              <Checkbox
                label={t('customer.default')}
                description={t('customer.defaultHint')}
                {...field('is_default', { type: 'checkbox' })}
              />
            </Stack>
          )}
          {step === 'address' && (
            <AddressFields
              prefix="customer_address.customer_"
              field={field}
              onPlace={({ lat, long, city, state, found }) => {
                if (city && !address.customer_city) form.setFieldValue('customer_address.customer_city', city)
                if (state && !address.customer_state) form.setFieldValue('customer_address.customer_state', state)
                // Where its first site will be, unless that is only the middle of a country.
                form.setFieldValue('site_place', found ? { lat, long, address: lookedUp(address) } : null)
              }}
            />
          )}
          {step === 'site' && (
            <Stack gap="md">
              <Switch label={t('customer.wizard.withSite')} {...field('has_site', { type: 'checkbox' })} />
              {values.has_site && (
                <>
                  <TextInput label={t('customer.wizard.siteName')} withAsterisk autoFocus {...field('site_name')} />
                  <TimezoneSelect
                    label={t('site.form.timezone')}
                    description={t('site.form.timezoneHint')}
                    allowDeselect={false}
                    country={values.has_same_address ? address.customer_country : ''}
                    {...field('site_timezone')}
                  />
                  <Checkbox
                    label={t('customer.wizard.sameAddress')}
                    {...field('has_same_address', { type: 'checkbox' })}
                  />
                </>
              )}
            </Stack>
          )}
          {step === 'review' && (
            <Facts
              items={[
                [t('customer.name'), values.customer_name],
                [t('common.description'), values.description],
                [t('customer.default'), t(values.is_default ? 'common.yes' : 'common.no')],
                [
                  t('customer.address'),
                  [
                    address.customer_unit,
                    address.customer_street,
                    address.customer_area,
                    [address.customer_zip, address.customer_city].filter(Boolean).join(' '),
                    address.customer_state,
                    countryName(address.customer_country, i18n.language),
                  ]
                    .filter(Boolean)
                    .join(', '),
                ],
                [
                  t('customer.wizard.site'),
                  values.has_site
                    ? [
                        values.site_name,
                        values.site_timezone,
                        t(placeOf(values) ? 'customer.wizard.placed' : 'customer.wizard.unplaced'),
                      ].join(' · ')
                    : t('customer.wizard.noSite'),
                ],
              ]}
            />
          )}
          <Group justify="flex-end" gap="xs" mt="lg">
            <Button
              variant="default"
              onClick={() => {
                const before = steps[index - 1]
                if (before) onStep(before)
                else go('/customer')
              }}
            >
              {t(index === 0 ? 'common.cancel' : 'common.back')}
            </Button>
            <Button type="submit" loading={isSaving}>
              {t(step === 'review' ? 'customer.create' : 'common.next')}
            </Button>
          </Group>
        </Panel>
      </Form>
    </Wizard>
  )
}
