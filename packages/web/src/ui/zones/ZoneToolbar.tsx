import { Tooltip } from '@mantine/core'
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconEyeOff,
  IconFocusCentered,
  IconLine,
  IconPointer,
  IconPolygon,
  IconRectangle,
  IconRulerMeasure,
  IconTrash,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Zones } from './useZones.ts'
import classes from './zones.module.css'

export type Tool = 'select' | 'polygon' | 'rectangle' | 'line' | 'mask' | 'floor'
const tools: readonly [Tool, typeof IconPointer, string][] = [
  ['select', IconPointer, 'V'],
  ['polygon', IconPolygon, 'P'],
  ['rectangle', IconRectangle, 'R'],
  ['line', IconLine, 'L'],
  ['mask', IconEyeOff, 'M'],
  ['floor', IconRulerMeasure, 'C'],
]

/** The tool that a key stands for. */
export const toolOf = (key: string): Tool | undefined => tools.find(([, , letter]) => letter.toLowerCase() === key)?.[0]

type Props = {
  zones: Zones
  tool: Tool
  measures: boolean | undefined
  onTool: (tool: Tool) => void
  onWhole: () => void
}

/** What one draws with, and what undoes it. */
export function ZoneToolbar({ zones, tool, measures, onTool, onWhole }: Props) {
  const { t } = useTranslation()
  const { active } = zones
  const offered = tools.filter(([name]) => name !== 'floor' || measures)
  return (
    <div className={classes.toolbar} role="toolbar" aria-label={t('zones.tools')}>
      {offered.map(([name, Icon, letter]) => (
        <Button
          key={name}
          label={`${t(`zones.${name}`)} (${letter})`}
          pressed={tool === name}
          onClick={() => onTool(name)}
        >
          <Icon size={18} stroke={1.8} />
        </Button>
      ))}
      <Button label={`${t('zones.whole')} (F)`} onClick={onWhole}>
        <IconFocusCentered size={18} stroke={1.8} />
      </Button>
      <Button label={`${t('zones.undo')} (Ctrl Z)`} disabled={!zones.canUndo} onClick={zones.undo}>
        <IconArrowBackUp size={18} stroke={1.8} />
      </Button>
      <Button label={`${t('zones.redo')} (Ctrl Y)`} disabled={!zones.canRedo} onClick={zones.redo}>
        <IconArrowForwardUp size={18} stroke={1.8} />
      </Button>
      <Button label={t('zones.delete')} disabled={!active} onClick={() => active && zones.remove(active.key)}>
        <IconTrash size={18} stroke={1.8} />
      </Button>
    </div>
  )
}

function Button(props: {
  label: string
  pressed?: boolean
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}) {
  const { label, pressed, disabled, onClick, children } = props
  return (
    <Tooltip label={label} position="right">
      <button type="button" aria-label={label} aria-pressed={pressed} disabled={disabled} onClick={onClick}>
        {children}
      </button>
    </Tooltip>
  )
}
