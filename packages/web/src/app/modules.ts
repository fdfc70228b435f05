import type { ModuleItem } from '@sightline/contract'
import { session } from '../session.ts'
import { createStore, useStore } from '../store.ts'
import { api } from './client.ts'

/** The screens that the server lists for the caller. */
export const modules = createStore<readonly ModuleItem[]>([])

const cachedAs = 'uiModules'
type Cached = { user: string | null; modules: ModuleItem[] }

function readCache(user: string | null): ModuleItem[] | null {
  const text = localStorage.getItem(cachedAs)
  if (!text) return null
  try {
    const cached = JSON.parse(text) as Cached
    return cached.user === user && Array.isArray(cached.modules) ? cached.modules : null
  } catch (error) {
    console.info('The cached module list cannot be read; it is fetched again.', error)
    return null
  }
}

async function fetchModules(user: string | null): Promise<void> {
  const result = await api.acl.list.call({})
  if (!result.status) throw result.failure
  localStorage.setItem(cachedAs, JSON.stringify({ user, modules: result.data } satisfies Cached))
  modules.set(result.data)
}

/**
 * The list of the last visit lets the shell paint at once; the fresh one decides.
 * @param onFresh runs when a fresh list replaced a cached one
 */
export async function loadModules(onFresh: () => void): Promise<void> {
  const user = session.get()?.user_id ?? null
  const cached = readCache(user)
  if (!cached) return fetchModules(user)
  modules.set(cached)
  fetchModules(user).then(onFresh, (error) => console.warn('The module list could not be refreshed.', error))
}

export const useModules = (): readonly ModuleItem[] => useStore(modules)
export const hasScreen = (list: readonly ModuleItem[], path: string): boolean => list.some((item) => item.path === path)
