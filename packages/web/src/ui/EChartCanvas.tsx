import { useComputedColorScheme } from '@mantine/core'
import { BarChart, LineChart } from 'echarts/charts'
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components'
import { type EChartsCoreOption, init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'

register([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  DataZoomComponent,
  GridComponent,
  LineChart,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
])

/** Colours of the theme, as a canvas needs them. */
export type ChartColors = {
  text: string
  line: string
  surface: string
  brand: string
  bad: string
  ok: string
  warn: string
  compare: string
}
export type MakeOption = (colors: ChartColors) => EChartsCoreOption

const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function colorsOf(scheme: 'light' | 'dark'): ChartColors {
  return {
    text: variable('--app-text-3'),
    line: scheme === 'dark' ? '#252a33' : '#eceff3',
    surface: variable('--app-surface'),
    brand: scheme === 'dark' ? '#7d89f2' : variable('--mantine-color-brand-5'),
    bad: variable('--bad-dot'),
    ok: variable('--ok-dot'),
    warn: variable('--chart-warn'),
    compare: variable('--app-text-3'),
  }
}

export default function EChartCanvas({ label, make, height }: { label: string; make: MakeOption; height: number }) {
  const frame = useRef<HTMLDivElement>(null)
  const chart = useRef<ReturnType<typeof init> | null>(null)
  const scheme = useComputedColorScheme('light')

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const made = init(element)
    chart.current = made
    const observer = new ResizeObserver(() => made.resize())
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.dispose()
    }
  }, [])

  useEffect(() => {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    chart.current?.setOption(
      {
        aria: { enabled: true },
        animation: !isStill,
        animationDuration: 300,
        textStyle: { fontFamily: 'Inter Variable' },
        ...make(colorsOf(scheme)),
      },
      { notMerge: true },
    )
  }, [scheme, make])

  return <div ref={frame} role="img" aria-label={label} style={{ height }} />
}
