import { ActionIcon, Button, NumberInput, SegmentedControl, Switch, TextInput } from '@mantine/core'
import type { Point, ZoneKind } from '@sightline/domain'
import { IconArrowsExchange, IconPlus, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { fieldText } from '../../i18n/words.ts'
import { Tag } from '../Health.tsx'
import { colorOf } from './colors.ts'
import { type Drawing, faultOf, movePoint, removePoint, replace, reverse } from './editing.ts'
import type { Zones } from './useZones.ts'
import classes from './zones.module.css'

type Props = { zones: Zones; needsLine: boolean; error: string | null; onAdd: (kind: ZoneKind) => void }

/** The list of shapes and the fields of the active one: everything the stage does, without dragging. */
export function ZonePanel({ zones, needsLine, error, onAdd }: Props) {
  const { t } = useTranslation()
  const { drawings, active } = zones
  const hasLine = drawings.some(({ kind }) => kind === 'line')
  const edit = (part: Partial<Drawing>) =>
    active && zones.set(replace(drawings, active.key, (drawing) => ({ ...drawing, ...part })))

  return (
    <section className={classes.panel} aria-label={t('zones.list')}>
      {drawings.map((drawing) => {
        const fault = faultOf(drawing)
        return (
          <button
            key={drawing.key}
            type="button"
            className={classes.row}
            aria-pressed={drawing.key === active?.key}
            onClick={() => zones.select(drawing.key)}
          >
            <i className={classes.swatch} style={{ background: colorOf(drawings, drawing.key) }} />
            <span className={classes.rowName}>{drawing.label ?? drawing.name}</span>
            <span className="t3 num">{t('zones.points', { count: drawing.points.length })}</span>
            <span className={classes.rowState}>
              <Tag tone={fault ? 'warn' : drawing.is_active ? 'ok' : 'neutral'}>
                {fault
                  ? t(drawing.open ? 'zones.drawing' : 'zones.crossing')
                  : t(drawing.is_active ? 'zones.complete' : 'zones.off')}
              </Tag>
            </span>
          </button>
        )
      })}
      {error && (
        <p className={classes.error} role="alert">
          {fieldText(error)}
        </p>
      )}
      {needsLine && !hasLine && <p className="t2">{t('zones.lineNeeded')}</p>}
      <div className={classes.adds}>
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => onAdd('zone')}>
          {t('zones.addZone')}
        </Button>
        <Button
          variant={needsLine && !hasLine ? 'filled' : 'default'}
          leftSection={<IconPlus size={16} />}
          onClick={() => onAdd('line')}
        >
          {t('zones.addLine')}
        </Button>
      </div>
      {active && (
        <div className={classes.fields}>
          <TextInput
            label={t('zones.label')}
            description={t('zones.labelHelp', { name: active.name })}
            value={active.label ?? ''}
            maxLength={64}
            onChange={({ currentTarget }) => edit({ label: currentTarget.value || null })}
          />
          {active.kind === 'line' && <LineFields active={active} edit={edit} zones={zones} />}
          <Switch
            label={t('zones.active')}
            checked={active.is_active}
            onChange={({ currentTarget }) => edit({ is_active: currentTarget.checked })}
          />
          <Points active={active} zones={zones} />
        </div>
      )}
    </section>
  )
}

function LineFields({
  active,
  edit,
  zones,
}: {
  active: Drawing
  edit: (part: Partial<Drawing>) => void
  zones: Zones
}) {
  const { t } = useTranslation()
  return (
    <>
      <SegmentedControl
        aria-label={t('zones.direction')}
        fullWidth
        value={active.direction}
        onChange={(direction) => edit({ direction: direction as Drawing['direction'] })}
        data={[
          { value: 'both', label: t('zones.both') },
          { value: 'a_to_b', label: `${active.side_a} → ${active.side_b}` },
          { value: 'b_to_a', label: `${active.side_b} → ${active.side_a}` },
        ]}
      />
      <div className={classes.sides}>
        <TextInput
          label={t('zones.sideA')}
          value={active.side_a}
          maxLength={64}
          onChange={({ currentTarget }) => edit({ side_a: currentTarget.value })}
        />
        <TextInput
          label={t('zones.sideB')}
          value={active.side_b}
          maxLength={64}
          onChange={({ currentTarget }) => edit({ side_b: currentTarget.value })}
        />
      </div>
      <p className="t3">{t('zones.upDown', { a: active.side_a, b: active.side_b })}</p>
      <Button
        variant="default"
        leftSection={<IconArrowsExchange size={16} />}
        onClick={() => zones.set(replace(zones.drawings, active.key, reverse))}
      >
        {t('zones.swap')}
      </Button>
    </>
  )
}

/** Each point as two numbers, in percent of the picture. */
function Points({ active, zones }: { active: Drawing; zones: Zones }) {
  const { t } = useTranslation()
  const change = (index: number, to: Point) =>
    zones.set(replace(zones.drawings, active.key, (drawing) => movePoint(drawing, index, to)))
  return (
    <fieldset className={classes.points}>
      <legend>{t('zones.corners')}</legend>
      {active.points.map((point, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place in the outline
        <div key={index} className={classes.pointRow}>
          <span className="t3 num">{index + 1}</span>
          {([0, 1] as const).map((axis) => (
            <NumberInput
              key={axis}
              size="xs"
              aria-label={t(axis === 0 ? 'zones.x' : 'zones.y', { n: index + 1 })}
              value={Math.round(point[axis] * 1000) / 10}
              min={0}
              max={100}
              step={0.5}
              decimalScale={1}
              onChange={(value) => {
                if (typeof value !== 'number') return
                change(index, axis === 0 ? [value / 100, point[1]] : [point[0], value / 100])
              }}
            />
          ))}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('zones.removePoint', { n: index + 1 })}
            onClick={() => zones.set(replace(zones.drawings, active.key, (drawing) => removePoint(drawing, index)))}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
    </fieldset>
  )
}
