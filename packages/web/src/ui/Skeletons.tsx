import { Skeleton } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

const skeletonAfterMs = 150

/** Shows its children only when waiting takes longer than people notice. */
export function AfterAWhile({ children }: { children: ReactNode }) {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), skeletonAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return isLate ? children : null
}

function Waiting({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <AfterAWhile>
      <div aria-busy="true">
        <span className="sr" role="status">
          {t('common.loading')}
        </span>
        {children}
      </div>
    </AfterAWhile>
  )
}

/** Rows of a list or table. */
export function RowsSkeleton({ rows = 6, height = 54 }: { rows?: number; height?: number }) {
  return (
    <Waiting>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a skeleton have no identity
        <Skeleton key={row} height={height - 22} mx={16} my={11} radius="sm" width="auto" />
      ))}
    </Waiting>
  )
}

/** One block, e.g. a chart or a picture. */
export function BlockSkeleton({ height }: { height: number | string }) {
  return (
    <Waiting>
      <Skeleton height={height} radius="md" />
    </Waiting>
  )
}

/** A page whose loader still runs: header, then a panel. */
export function PageSkeleton() {
  return (
    <Waiting>
      <Skeleton height={28} width={220} mb={8} />
      <Skeleton height={16} width={300} mb={24} />
      <Skeleton height={320} radius="lg" />
    </Waiting>
  )
}
