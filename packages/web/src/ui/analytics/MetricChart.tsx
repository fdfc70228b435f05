import { Button } from '@mantine/core'
import type { EventSeries } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatPercent, formatSiteTime, formatTime, otherZone, shownZone } from '../../i18n/format.ts'
import { isDuration, metricText, metricValue } from '../../i18n/words.ts'
import { axisBegin } from '../axis.ts'
import { EChart } from '../EChart.tsx'
import type { ChartColors } from '../EChartCanvas.tsx'
import { Empty } from '../Empty.tsx'
import classes from './analytics.module.css'
import { isThin, type Tint, tableRows, tints } from './series.ts'

type Series = EventSeries['series'][number]
type Point = Series['points'][number]

/** When watching began within the period, in milliseconds; null when nobody watched. */
function firstWatched({ series }: EventSeries): number | null {
  const firsts = series.flatMap(({ points }) => points.find(({ coverage_ratio }) => coverage_ratio > 0)?.start ?? [])
  return firsts.map((at) => Date.parse(at)).toSorted((a, b) => a - b)[0] ?? null
}
/** When the axis of a series begins: on the first day, with the first figure. In milliseconds. */
export const axisStart = (data: EventSeries): number =>
  axisBegin(Date.parse(data.start), Date.parse(data.end), firstWatched(data))

const dayMs = 86_400_000

const noonOf = ({ start, end }: Point) => (Date.parse(start) + Date.parse(end)) / 2

const isThinFigure = (point: Point) => point.value !== null && isThin(point)
/** Hollow where little was watched. */
const marked = (point: Point) => ({
  value: [noonOf(point), point.value],
  ...(isThinFigure(point) && { symbol: 'emptyCircle', symbolSize: 6 }),
})

/** Flows are bars, down below the axis; levels are lines with the band from least to most; a gap stays a gap. */
function drawn({ metric, face, points }: Series, name: string, color: string): object[] {
  if (face === 'flow')
    return [
      {
        name,
        type: 'bar',
        barMaxWidth: 22,
        itemStyle: { color, borderRadius: 3 },
        data: points.map((point) => ({
          value: [noonOf(point), point.value === null ? null : metric === 'down' ? -point.value : point.value],
          ...(isThin(point)
            ? { itemStyle: { decal: { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -0.785 } } }
            : {}),
        })),
      },
    ]
  const line = (value: (point: Point) => number | null, more: object) => ({
    name,
    type: 'line',
    showSymbol: points.filter((point) => point.value !== null).length < 3,
    symbolSize: 5,
    connectNulls: false,
    step: face === 'last' ? 'end' : undefined,
    data: points.map((point) => [noonOf(point), value(point)]),
    ...more,
  })
  const hidden = {
    lineStyle: { opacity: 0 },
    itemStyle: { opacity: 0 },
    showSymbol: false,
    stack: `band-${metric}`,
    silent: true,
    tooltip: { show: false },
  }
  return [
    line((point) => point.min, { ...hidden, name: `${name}-min` }),
    line((point) => (point.max === null || point.min === null ? null : point.max - point.min), {
      ...hidden,
      name: `${name}-band`,
      areaStyle: { color, opacity: 0.14 },
    }),
    line((point) => point.value, {
      ...{ color, lineStyle: { color, width: 2 }, itemStyle: { color } },
      ...(points.some(isThinFigure) && { showSymbol: true, symbol: 'none', data: points.map(marked) }),
    }),
  ]
}

/** A chart of series, with the same numbers as a table for who cannot or will not read charts. */
export function MetricChart({ data, height = 260 }: { data: EventSeries; height?: number }) {
  const { t } = useTranslation()
  const [asTable, setAsTable] = useState(false)
  const shown = data.series.filter(({ channel_id }) => channel_id === null)
  const series = shown.length > 0 ? shown : data.series
  const isEmpty = series.every(({ points }) => points.every(({ coverage_ratio }) => coverage_ratio === 0))
  const thinFaces = series.flatMap(({ face, points }) => (points.some(isThinFigure) ? [face] : []))

  const metrics = series.map(({ metric }) => metric)
  const tintKey = metrics.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the metrics by their names
  const colored = useMemo(() => tints(metrics), [tintKey])
  // One of each unit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the metrics by their names
  const kinds = useMemo(
    () => metrics.filter((one, index) => metrics.findIndex((other) => isDuration(other) === isDuration(one)) === index),
    [tintKey],
  )

  const make = useCallback(
    (colors: ChartColors) => ({
      grid: { left: 8, right: 12, top: 14, bottom: 4, containLabel: true },
      xAxis: {
        type: 'time',
        min: axisStart(data),
        max: Date.parse(data.end),
        axisLine: { lineStyle: { color: colors.line } },
        // By the clock of the site, which may not be the browser's.
        axisLabel: {
          color: colors.text,
          hideOverlap: true,
          formatter: (at: number) => {
            const time = formatTime(at, shownZone(data.timezone))
            return Date.parse(data.end) - axisStart(data) > 2 * dayMs ? time.slice(5, 10) : time.slice(11, 16)
          },
        },
        axisPointer: {
          label: { formatter: ({ value }: { value: number }) => formatTime(value, shownZone(data.timezone)) },
        },
        splitLine: { show: false },
      },
      // Times have an axis of their own beside counts.
      yAxis: kinds.map((metric, index) => ({
        type: 'value',
        minInterval: 1,
        axisLabel: { color: colors.text, formatter: (value: number) => metricValue(metric, Math.abs(value)) },
        splitLine: { show: index === 0, lineStyle: { color: colors.line } },
      })),
      tooltip: {
        trigger: 'axis',
        backgroundColor: colors.surface,
        borderColor: colors.line,
        textStyle: { color: colors.text },
      },
      series: series.flatMap((one, index) =>
        drawn(one, metricText(one.metric, data.usecase_key), colors[colored[index] ?? 'brand']).map((part) => ({
          yAxisIndex: kinds.findIndex((metric) => isDuration(metric) === isDuration(one.metric)),
          tooltip: {
            valueFormatter: (value: unknown) =>
              typeof value === 'number' ? metricValue(one.metric, Math.abs(value)) : t('chart.gap'),
          },
          ...part,
        })),
      ),
    }),
    [data, series, kinds, colored, t],
  )

  if (isEmpty) return <Empty title={t('chart.nothing')} text={t('chart.nothingText')} />
  const first = firstWatched(data)
  const names = series.map(({ metric }) => metricText(metric, data.usecase_key)).join(', ')
  return (
    <div>
      {asTable ? (
        <SeriesTable series={series} usecase={data.usecase_key} timezone={data.timezone} height={height} />
      ) : (
        <>
          {series.length > 1 && <Legend metrics={metrics} usecase={data.usecase_key} colored={colored} />}
          <EChart label={t('chart.label', { metric: names })} make={make} height={height} />
        </>
      )}
      <div className={classes.under}>
        <span className="t3 num">
          {[
            first !== null &&
              axisStart(data) > Date.parse(data.start) &&
              t('chart.since', { time: formatSiteTime(first, data.timezone) }),
            !asTable && thinFaces.includes('flow') && t('chart.hatched'),
            !asTable && thinFaces.some((face) => face !== 'flow') && t('chart.hollow'),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={asTable ? <IconChartBar size={15} /> : <IconTable size={15} />}
          onClick={() => setAsTable(!asTable)}
        >
          {t(asTable ? 'chart.asChart' : 'chart.asTable')}
        </Button>
      </div>
    </div>
  )
}

const swatch: Record<Tint, string> = {
  brand: 'var(--mantine-color-brand-5)',
  bad: 'var(--bad-dot)',
  ok: 'var(--ok-dot)',
  warn: 'var(--chart-warn)',
  compare: 'var(--app-text-3)',
}

/** Which colour is which metric. */
type LegendProps = { metrics: readonly Series['metric'][]; usecase: UsecaseKey; colored: readonly Tint[] }

function Legend({ metrics, usecase, colored }: LegendProps) {
  return (
    <ul className={classes.legend}>
      {metrics.map((metric, index) => (
        <li key={metric}>
          <i style={{ background: swatch[colored[index] ?? 'brand'] }} aria-hidden="true" />
          {metricText(metric, usecase)}
        </li>
      ))}
    </ul>
  )
}

type TableProps = { series: readonly Series[]; usecase: UsecaseKey; timezone: string; height: number }

function SeriesTable({ series, usecase, timezone, height }: TableProps) {
  const { t } = useTranslation()
  const rows = tableRows(series)
  const zone = shownZone(timezone)
  const place = rows[0] && zone && otherZone(rows[0].start, zone)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.tableFrame} style={{ maxHeight: height }} tabIndex={0} aria-label={t('chart.asTable')}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>{place ? `${t('chart.from')} (${place})` : t('chart.from')}</th>
            {series.map(({ metric }) => (
              <th key={metric}>{metricText(metric, usecase)}</th>
            ))}
            <th>{t('chart.watched')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ start, values, coverage_ratio }) => (
            <tr key={start}>
              <td className="num">{formatTime(start, zone)}</td>
              {values.map((value, index) => (
                <td key={series[index]?.metric} className="num">
                  {value === null ? t('chart.gap') : metricValue(series[index]?.metric ?? '', value)}
                </td>
              ))}
              <td className="num">{formatPercent(coverage_ratio)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
