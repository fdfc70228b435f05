import { Button } from '@mantine/core'
import type { EventHistogram } from '@sightline/contract'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSiteTime } from '../i18n/format.ts'
import { isThin } from '../ui/analytics/series.ts'
import classes from './histogram.module.css'

type Props = {
  data: EventHistogram
  /** Whether the period is one's own, so that there is a way back. */
  isNarrowed: boolean
  onNarrow: (from: string, to: string) => void
  onReset: () => void
}

/** First and last bucket, both inside. */
type Brush = { first: number; last: number }

/**
 * How many occasions began when. A drag over it, or the two handles by arrow keys and Enter, narrow the period; Escape
 * takes a choice back.
 */
export function Histogram({ data: { buckets, timezone }, isNarrowed, onNarrow, onReset }: Props) {
  const { t } = useTranslation()
  const plot = useRef<HTMLDivElement>(null)
  const [brush, setBrush] = useState<Brush | null>(null)
  const [anchor, setAnchor] = useState<number | null>(null)
  const most = Math.max(1, ...buckets.map(({ opened }) => opened))
  const end = buckets.length - 1
  const shown = brush ?? { first: 0, last: end }
  const hasThin = buckets.some(isThin)

  const apply = ({ first, last }: Brush) => {
    const [from, to] = [buckets[first], buckets[last]]
    setBrush(null)
    if (from && to && (first > 0 || last < end)) onNarrow(from.start, to.end)
  }
  const at = ({ clientX }: PointerEvent) => {
    const { left = 0, width = 1 } = plot.current?.getBoundingClientRect() ?? {}
    return Math.min(end, Math.max(0, Math.floor(((clientX - left) / width) * buckets.length)))
  }
  const drag = (event: PointerEvent) => {
    if (anchor === null) return
    const here = at(event)
    setBrush({ first: Math.min(anchor, here), last: Math.max(anchor, here) })
  }
  const move = (side: keyof Brush) => (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
    }
    if (event.key === 'Enter') return apply(shown)
    if (event.key === 'Escape') return setBrush(null)
    const step = steps[event.key] ?? (event.key === 'Home' ? -end : event.key === 'End' ? end : 0)
    if (step === 0) return
    event.preventDefault()
    const moved = shown[side] + step
    setBrush(
      side === 'first'
        ? { ...shown, first: Math.min(Math.max(0, moved), shown.last) }
        : { ...shown, last: Math.max(Math.min(end, moved), shown.first) },
    )
  }
  const time = (iso: string | undefined) => (iso ? formatSiteTime(iso, timezone) : '')
  const chosen = buckets.slice(shown.first, shown.last + 1).reduce((sum, { opened }) => sum + opened, 0)

  return (
    <section className={classes.root} aria-label={t('event.histogram.label')}>
      <div
        ref={plot}
        className={classes.plot}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setAnchor(at(event))
        }}
        onPointerMove={drag}
        onPointerUp={(event) => {
          if (anchor !== null && at(event) !== anchor && brush) apply(brush)
          else setBrush(null)
          setAnchor(null)
        }}
        onPointerCancel={() => {
          setAnchor(null)
          setBrush(null)
        }}
      >
        {buckets.map(({ start, opened, violations, coverage_ratio }, index) => (
          <span
            key={start}
            className={classes.bucket}
            data-out={index < shown.first || index > shown.last || undefined}
            data-thin={isThin({ coverage_ratio }) || undefined}
            title={`${time(start)} · ${t('event.histogram.began', { count: opened })}`}
          >
            <i style={{ height: `${((opened - violations) / most) * 100}%` }} />
            <i data-bad style={{ height: `${(violations / most) * 100}%` }} />
          </span>
        ))}
        {(['first', 'last'] as const).map((side) => (
          <span
            key={side}
            role="slider"
            tabIndex={0}
            className={classes.handle}
            style={{ left: `${((side === 'first' ? shown.first : shown.last + 1) / buckets.length) * 100}%` }}
            aria-label={t(`event.histogram.${side}`)}
            aria-valuemin={0}
            aria-valuemax={end}
            aria-valuenow={shown[side]}
            aria-valuetext={time(side === 'first' ? buckets[shown.first]?.start : buckets[shown.last]?.end)}
            onKeyDown={move(side)}
          />
        ))}
      </div>
      <div className={classes.under}>
        <span className="num t3">
          {time(buckets[shown.first]?.start)} – {time(buckets[shown.last]?.end)}
        </span>
        <span className="t3 num" aria-live="polite">
          {brush
            ? t('event.histogram.chosen', { count: chosen, shown: formatNumber(chosen) })
            : hasThin
              ? t('chart.hatched')
              : t('event.histogram.hint')}
        </span>
        {isNarrowed && (
          <Button variant="subtle" size="compact-sm" onClick={onReset}>
            {t('event.histogram.reset')}
          </Button>
        )}
      </div>
    </section>
  )
}
