import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../app/messages.ts'
import { saveBlob } from '../ui/download.ts'
import { zip } from '../ui/zip.ts'
import { collectAll } from './evidence.ts'
import classes from './gallery.module.css'

/** More clips would not fit into the memory of a phone. */
export const mostSelected = 50

type Props = {
  /** Ids of the events, at most `mostSelected`. */
  selected: readonly string[]
  onClear: () => void
}

/** What to do with the chosen pictures: their evidence in one archive. */
export function SelectedBar({ selected, onClear }: Props) {
  const { t } = useTranslation()
  const [done, setDone] = useState<number | null>(null)
  const download = async () => {
    try {
      const { entries, incomplete } = await collectAll(selected, setDone)
      if (entries.length > 0) saveBlob(zip(entries), `${t('event.fileName')}-${selected.length}.zip`)
      if (incomplete > 0) notify({ type: 'warning', text: t('event.gallery.incomplete', { count: incomplete }) })
      else onClear()
    } catch (error) {
      // Between portal and browser: nothing of it is kept.
      console.error(error)
      notify({ type: 'error', text: t('event.gallery.failed') })
    } finally {
      setDone(null)
    }
  }
  return (
    <section className={classes.selected} aria-label={t('event.gallery.selection')}>
      <span className="num" role="status">
        {done === null
          ? [
              t('event.gallery.selected', { count: selected.length }),
              selected.length === mostSelected && t('event.gallery.full', { most: mostSelected }),
            ]
              .filter(Boolean)
              .join(' · ')
          : t('event.gallery.collecting', { done: done + 1, total: selected.length })}
      </span>
      <Button variant="default" disabled={done !== null} onClick={onClear}>
        {t('event.gallery.clear')}
      </Button>
      <Button leftSection={<IconDownload size={16} />} loading={done !== null} onClick={() => void download()}>
        {t('event.gallery.download')}
      </Button>
    </section>
  )
}
