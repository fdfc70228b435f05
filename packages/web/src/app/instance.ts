import { useQuery } from '@tanstack/react-query'
import { api } from './client.ts'
import { useTheme } from './theme.ts'

/** Name and logo of this instance, in the shown theme. */
export function useInstance(): { name: string; logo: string | null; support: string } {
  const { data } = useQuery({ ...api.instance.info.query({}), staleTime: 300_000 })
  const { isDark } = useTheme()
  return {
    name: data?.name ?? 'Sightline',
    logo: (isDark ? data?.logo_dark : null) ?? data?.logo ?? null,
    support: data?.support_contact ?? '',
  }
}
