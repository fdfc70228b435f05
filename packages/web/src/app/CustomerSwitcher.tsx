import { Avatar, Popover, ScrollArea, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { truncate } from '@sightline/domain'
import { IconMapPin, IconSelector } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Go } from '../ui/Go.tsx'
import classes from './CustomerSwitcher.module.css'
import { api } from './client.ts'
import { useCustomer } from './customer.ts'

const initials = (name: string) =>
  name
    .split(/[\s_-]+/)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')

/** So many sites stand in the tree at once; the others are found by typing. */
const mostSites = 60
/** So many are here to be found at once; beyond this the server searches too. */
const mostKnown = 500
const typingMs = 150

/** Which customer's sites are shown, and the short way to one of them. */
export default function CustomerSwitcher({ isRail, onGo }: { isRail?: boolean; onGo?: () => void }) {
  const { t } = useTranslation()
  const { customers, selected, select } = useCustomer()
  const [opened, { toggle, close }] = useDisclosure()
  const [filter, setFilter] = useState('')
  const [typed] = useDebouncedValue(filter.trim(), typingMs)
  const { data: known = [] } = useQuery({ ...api.site.list.query({ limit: mostKnown }), enabled: opened })
  const { data: others = [] } = useQuery({
    ...api.site.list.query({ q: typed, limit: mostSites }),
    enabled: opened && known.length === mostKnown && typed !== '',
    placeholderData: keepPreviousData,
  })
  if (!selected) return null

  const words = filter.trim().toLocaleLowerCase()
  const fits = (text: string) => text.toLocaleLowerCase().includes(words)
  const nameOf = new Map(customers.map(({ customer_id, customer_name }) => [customer_id, customer_name]))
  const fitting = [...new Map([...known, ...others].map((site) => [site.site_id, site])).values()].filter(
    ({ site_name, customer_id }) => fits(site_name) || fits(nameOf.get(customer_id) ?? ''),
  )
  const sites = fitting.slice(0, mostSites)
  const tree = customers
    .map((customer) => ({ customer, sites: sites.filter((site) => site.customer_id === customer.customer_id) }))
    .filter(({ customer, sites }) => fits(customer.customer_name) || sites.length > 0)
  const facts = [
    t('shell.sites', { count: selected.customer_total_sites }),
    t('shell.cameras', { count: selected.customer_total_devices }),
  ].join(' · ')

  return (
    <Popover opened={opened} onChange={close} position="bottom-start" width={300} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={classes.root}
          data-rail={isRail || undefined}
          onClick={toggle}
          aria-expanded={opened}
        >
          <Avatar size={28} radius={8} color="brand" variant="filled" className={classes.avatar} aria-hidden="true">
            {initials(selected.customer_name)}
          </Avatar>
          <span className={isRail ? 'sr' : classes.words}>
            <span className="sr">{t('shell.switchCustomer')} </span>
            <span className={classes.name} title={selected.customer_name}>
              {truncate(selected.customer_name)}
            </span>
            <span className={`${classes.facts} num`}>{facts}</span>
          </span>
          {!isRail && <IconSelector size={16} className={classes.mark} aria-hidden="true" />}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={8}>
        <TextInput
          data-autofocus
          size="xs"
          mb={6}
          value={filter}
          onChange={(typed) => setFilter(typed.currentTarget.value)}
          aria-label={t('shell.filterCustomers')}
          placeholder={t('shell.filterCustomers')}
        />
        <ScrollArea.Autosize mah={340}>
          <ul className={classes.list}>
            {tree.map(({ customer, sites }) => (
              <li key={customer.customer_id}>
                <UnstyledButton
                  className={classes.customer}
                  aria-pressed={customer.customer_id === selected.customer_id}
                  onClick={() => {
                    select(customer.customer_id)
                    close()
                    onGo?.()
                  }}
                >
                  {customer.customer_name}
                </UnstyledButton>
                <ul className={classes.list}>
                  {sites.map((site) => (
                    <li key={site.site_id}>
                      <Go
                        to="/site/detail"
                        search={{ sid: site.site_id }}
                        className={classes.site}
                        onClick={() => {
                          if (customer.customer_id !== selected.customer_id) select(customer.customer_id)
                          close()
                          onGo?.()
                        }}
                      >
                        <IconMapPin size={14} stroke={1.7} aria-hidden="true" />
                        {site.site_name}
                      </Go>
                    </li>
                  ))}
                </ul>
              </li>
            ))}
            {(fitting.length > sites.length || others.length === mostSites) && (
              <li className={classes.none}>{t('shell.moreSites')}</li>
            )}
            {tree.length === 0 && <li className={classes.none}>{t('common.nothingMatches')}</li>}
          </ul>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  )
}
