import type { NotFoundRouteProps } from '@tanstack/react-router'
import { NoAccess } from '../ui/ErrorPanel.tsx'
import { NotFoundPage } from './ErrorPage.tsx'
import { isDenied } from './guards.ts'

/** In place of a screen that is not for this person, or of something that does not exist. */
export const Missing = ({ data }: NotFoundRouteProps) => (isDenied(data) ? <NoAccess /> : <NotFoundPage />)
