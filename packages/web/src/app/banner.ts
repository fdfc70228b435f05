import { createStore } from '../store.ts'

/** A condition that lasts, in the one slot under the breadcrumb: message, colour, icon, and what to do about it. */
export type Banner = {
  /** Which condition: one banner each. */
  id: string
  /** Changes when the condition does; a dismissed banner comes back then. */
  version: string
  message: string
  detail?: string
  color: 'bad' | 'warn' | 'info'
  icon: 'plug' | 'clock' | 'lock' | 'alert'
  action?: { label: string; run: () => void }
}

type Banners = { all: readonly Banner[]; dismissed: Readonly<Record<string, string>> }

export const banners = createStore<Banners>({ all: [], dismissed: {} })

export const setBanner = (banner: Banner): void =>
  banners.set((now) => ({ ...now, all: [...now.all.filter((item) => item.id !== banner.id), banner] }))

export const clearBanner = (id: string): void =>
  banners.set((now) =>
    now.all.some((item) => item.id === id) ? { ...now, all: now.all.filter((item) => item.id !== id) } : now,
  )

export const dismissBanner = ({ id, version }: Banner): void =>
  banners.set((now) => ({ ...now, dismissed: { ...now.dismissed, [id]: version } }))

const severity = { bad: 0, warn: 1, info: 2 }

/** The one that shows: the worst of those not dismissed. */
export const currentBanner = ({ all, dismissed }: Banners): Banner | null =>
  all
    .filter((item) => dismissed[item.id] !== item.version)
    .toSorted((a, b) => severity[a.color] - severity[b.color])[0] ?? null
