import { Link, type LinkProps, useNavigate } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'
import type { Path } from '../screens.ts'

export type Search = Record<string, string | undefined>

type GoProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> &
  Pick<LinkProps, 'preload' | 'replace' | 'disabled'> & {
    to: Path | '/'
    search?: Search
    ref?: Ref<HTMLAnchorElement>
  }

/** A link to a screen by its path. Features know each other by address only, so a path need not have a route here yet. */
export function Go({ to, search, ...rest }: GoProps) {
  // Only the very page is the current one; by itself the router marks every page above it too.
  return <Link to={to as '/'} search={search as never} activeOptions={{ exact: true, includeSearch: true }} {...rest} />
}

export type GoTo = (to: Path | '/', search?: Search, options?: { replace?: boolean; ignoreBlocker?: boolean }) => void

/** Goes to a screen by its path. */
export function useGo(): GoTo {
  const navigate = useNavigate()
  return (to, search, options) => void navigate({ to: to as '/', search: search as never, ...options })
}
