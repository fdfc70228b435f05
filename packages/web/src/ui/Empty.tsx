import { EmptyState } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

type Props = {
  icon?: ReactNode
  title: string
  /** One sentence. */
  text?: string
  /** The one action that ends the emptiness. */
  action?: ReactNode
  /** The person may not do it: says whom to ask instead of the action. */
  forbidden?: boolean
}

/** Nothing here yet, and what to do about it. */
export function Empty({ icon, title, text, action, forbidden }: Props) {
  const { t } = useTranslation()
  const description = [text, forbidden && t('empty.askAdmin')].filter(Boolean).join(' ')
  return (
    <EmptyState icon={icon} title={title} description={description || undefined} py={40} px="md">
      {action && !forbidden && <EmptyState.Actions>{action}</EmptyState.Actions>}
    </EmptyState>
  )
}
