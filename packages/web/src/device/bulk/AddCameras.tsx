import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props<R> = {
  /** What could be added. */
  rows: readonly R[]
  /** Those of them that did not work when they were tested. */
  failed: readonly R[]
  isAdding: boolean
  isDisabled: boolean
  onAdd: (rows: readonly R[]) => void
  onTest: (rows: readonly R[]) => void
}

/** Adds cameras. Where some failed their test the person says whether they go in too. */
export function AddCameras<R>({ rows, failed, isAdding, isDisabled, onAdd, onTest }: Props<R>) {
  const { t } = useTranslation()
  const others = rows.filter((row) => !failed.includes(row))
  const hasChoice = failed.length > 0 && others.length > 0
  return (
    <>
      {failed.length > 0 && (
        <>
          <span className="t2" role="status">
            {t('bulk.untrusted', { count: failed.length })}
          </span>
          <Button variant="default" disabled={isDisabled} onClick={() => onTest(failed)}>
            {t('bulk.testFailed', { count: failed.length })}
          </Button>
          <Button variant="default" loading={isAdding} disabled={isDisabled} onClick={() => onAdd(rows)}>
            {t('bulk.addAll', { count: rows.length })}
          </Button>
        </>
      )}
      {(hasChoice || failed.length === 0) && (
        <Button loading={isAdding} disabled={isDisabled || rows.length === 0} onClick={() => onAdd(others)}>
          {t(hasChoice ? 'bulk.addOthers' : 'bulk.add', { count: others.length })}
        </Button>
      )}
    </>
  )
}
