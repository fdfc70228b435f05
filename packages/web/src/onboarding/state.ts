import type { Channel, Customer, Device, License, Nimble, Site } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../app/client.ts'
import { useCustomer } from '../app/customer.ts'
import { edgeQuery } from '../app/edge.ts'
import { useUser } from '../session.ts'
import { createStore, useStore } from '../store.ts'
import { type StepId, stepIds } from './steps.ts'

/** What the first run has made so far, read from the portal: it can be left and taken up again anywhere. */
export type FirstRun = {
  isLoading: boolean
  license: License | null
  nimble: Nimble | null
  customer: Customer | null
  /** Of the customer, the newest first. */
  sites: readonly Site[]
  /** At all these sites. */
  devices: readonly Device[]
  channel: Channel | null
  hasEvent: boolean
}

/** The steps that were passed by, and the look that was saved: nothing in the portal shows that these were done. */
const passedAs = 'firstRun.passed'
const passed = createStore<readonly StepId[]>(JSON.parse(localStorage.getItem(passedAs) ?? '[]') as StepId[])
export function pass(step: StepId): void {
  passed.set((now) => (now.includes(step) ? now : [...now, step]))
  localStorage.setItem(passedAs, JSON.stringify(passed.get()))
}

const newestFirst = <T extends { created_at: string }>(list: readonly T[] = []): T[] =>
  list.toSorted((a, b) => b.created_at.localeCompare(a.created_at))

export function useFirstRun(): FirstRun {
  const { selected } = useCustomer()
  const hasSeenEvent = useStore(passed, (steps) => steps.includes('event'))
  const licenses = useQuery(api.license.list.query({}))
  const nimbles = useQuery(edgeQuery())
  const customer_id = selected?.customer_id
  const sites = useQuery({ ...api.site.list.query({ customer_id }), enabled: Boolean(customer_id) })
  const hasSite = Boolean(sites.data?.length)
  const devices = useQuery({ ...api.device.list.query({ customer_id, limit: 100 }), enabled: hasSite })
  const isHere = ({ site_id }: { site_id: string }) => sites.data?.some((site) => site.site_id === site_id) ?? false
  const channel = newestFirst(devices.data?.flatMap((device) => device.source_channels))[0] ?? null
  const events = useQuery({
    ...api.event.range.query({ channel_id: channel?.channel_id, event_limit: 1, kind: 'window', start: '-7d' }),
    enabled: Boolean(channel),
  })
  const isOwn = ({ organization_id }: { organization_id: string }) =>
    !selected || organization_id === selected.organization_id
  const ownNimbles = nimbles.data?.filter(isOwn) ?? []
  return {
    isLoading: licenses.isLoading || nimbles.isLoading || sites.isLoading || devices.isLoading,
    license: licenses.data?.find((one) => isOwn(one) && (one.state === 'valid' || one.state === 'expiring')) ?? null,
    nimble: ownNimbles.find((one) => one.is_local) ?? ownNimbles[0] ?? null,
    customer: selected,
    sites: newestFirst(sites.data),
    devices: devices.data?.filter(isHere) ?? [],
    channel,
    hasEvent: hasSeenEvent || (Array.isArray(events.data) && events.data.length > 0),
  }
}

/** Which steps are done, and the first that is not. */
export function useSteps(run: FirstRun): { done: ReadonlySet<StepId>; next: StepId } {
  const isAway = useUser().user_config.ui_config.checklist_done === true
  const skipped = useStore(passed)
  // Taken up again on another machine: who has a customer has been through the steps before it.
  const isUnderWay = run.customer !== null
  const facts: Record<StepId, boolean> = {
    account: true,
    look: skipped.includes('look') || isUnderWay,
    license: run.license !== null && (skipped.includes('license') || isUnderWay),
    edge: run.nimble?.status?.state === 'online' && (skipped.includes('edge') || isUnderWay),
    customer: run.customer !== null,
    site: run.sites.length > 0,
    cameras: run.devices.length > 0,
    analytic: run.channel !== null,
    event: run.hasEvent,
    finish: isAway,
  }
  const done = new Set(stepIds.filter((step) => facts[step]))
  return { done, next: stepIds.find((step) => !done.has(step)) ?? 'finish' }
}

const spentAs = 'firstRun.seconds'

/** Seconds that the first run was in sight on this machine. */
export const spentSeconds = (): number => Number(localStorage.getItem(spentAs) ?? 0)
export const spend = (seconds: number): void => localStorage.setItem(spentAs, String(spentSeconds() + seconds))
