import { ActionIcon, Button, NumberInput, SegmentedControl, TextInput } from '@mantine/core'
import type { Device, Zone } from '@sightline/contract'
import {
  dwellFault,
  dwellItem,
  type PipelineElements,
  type PipelineItem,
  type Point,
  polygonArea,
  type UsecaseKey,
  usecases,
} from '@sightline/domain'
import { IconArrowsExchange, IconEye, IconEyeOff, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { portalNow } from '../../app/clock.ts'
import { decimalPoint, formatDate, formatSetting } from '../../i18n/format.ts'
import { fieldText } from '../../i18n/words.ts'
import { ErrorPanel } from '../ErrorPanel.tsx'
import { Tag } from '../Health.tsx'
import { colorOf } from './colors.ts'
import {
  type Drawing,
  faultOf,
  fewestPoints,
  movePoint,
  removePoint,
  replace,
  reverse,
  type ShapeKind,
} from './editing.ts'
import { MaskList } from './MaskList.tsx'
import type { Masks } from './useMasks.ts'
import type { Zones } from './useZones.ts'
import classes from './zones.module.css'

type Props = {
  zones: Zones
  usecase: UsecaseKey
  elements: PipelineElements | undefined
  error: string | null
  camera: Device
  /** Masks of the camera that are not of this analytic. */
  others: readonly Zone[]
  /** Whether those could be read. */
  ofMasks: Pick<Masks, 'error' | 'retry'>
  onAdd: (kind: ShapeKind) => void
  children?: ReactNode
}

/** From this share of the picture on a mask hides more than people expect. */
const mostMasked = 0.5

/** The list of shapes and the fields of the active one: everything the stage does, without dragging. */
export function ZonePanel({ zones, usecase, elements, error, camera, others, ofMasks, onAdd, children }: Props) {
  const { t } = useTranslation()
  const { needsLine, needsCalibration } = usecases[usecase]
  const dwell = dwellItem(usecase)
  const { drawings, active } = zones
  const hasLine = drawings.some(({ kind }) => kind === 'line')
  const hasFloor = drawings.some(({ kind }) => kind === 'floor')
  const masked = drawings.reduce(
    (sum, { kind, points, is_active }) => sum + (kind === 'mask' && is_active ? polygonArea(points) : 0),
    0,
  )
  const nameOf = ({ kind, label, name }: Drawing) => (kind === 'floor' ? t('zones.floor') : (label ?? name))
  const edit = (part: Partial<Drawing>) =>
    active && zones.set(replace(drawings, active.key, (drawing) => ({ ...drawing, ...part })))

  return (
    <section className={classes.panel} aria-label={t('zones.list')}>
      {children}
      {drawings.map((drawing) => {
        const fault = faultOf(drawing) ?? (dwellFault(usecase, drawing) && 'dwell')
        return (
          <div key={drawing.key} className={classes.entry}>
            <button
              type="button"
              className={classes.row}
              aria-pressed={drawing.key === active?.key}
              onClick={() => zones.select(drawing.key)}
            >
              <i className={classes.swatch} style={{ background: colorOf(drawings, drawing.key) }} />
              <span className={classes.rowName}>{nameOf(drawing)}</span>
              <span className="t3 num">
                {t('zones.points', { count: drawing.points.length })}
                {drawing.dwell_s !== null && ` · ${t('zones.seconds', { value: formatSetting(drawing.dwell_s) })}`}
              </span>
              <span className={classes.rowState}>
                <Tag tone={fault ? 'warn' : drawing.is_active ? 'ok' : 'neutral'}>
                  {fault
                    ? t(
                        drawing.open
                          ? 'zones.drawing'
                          : fault === 'calibration_degenerate'
                            ? 'zones.noFloor'
                            : fault === 'calibration_size'
                              ? 'zones.noSize'
                              : fault === 'dwell'
                                ? 'zones.wrongDwell'
                                : 'zones.crossing',
                      )
                    : t(drawing.is_active ? 'zones.complete' : 'zones.off')}
                </Tag>
              </span>
            </button>
            {drawing.kind !== 'floor' && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={34}
                aria-label={t('zones.use', { zone: nameOf(drawing) })}
                aria-pressed={drawing.is_active}
                onClick={() => zones.set(replace(drawings, drawing.key, (it) => ({ ...it, is_active: !it.is_active })))}
              >
                {drawing.is_active ? <IconEye size={17} /> : <IconEyeOff size={17} />}
              </ActionIcon>
            )}
          </div>
        )
      })}
      {error && (
        <p className={classes.error} role="alert">
          {fieldText(error)}
        </p>
      )}
      {needsLine && !hasLine && <p className="t2">{t('zones.lineNeeded')}</p>}
      {masked > 0 && <p className="t2">{t('zones.masked')}</p>}
      {masked > 0 && <BeforeMasks organizationId={camera.organization_id} />}
      {masked > mostMasked && <p className="t2">{t('zones.muchMasked')}</p>}
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
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => onAdd('mask')}>
          {t('zones.addMask')}
        </Button>
        {needsCalibration && !hasFloor && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => onAdd('floor')}>
            {t('zones.addFloor')}
          </Button>
        )}
      </div>
      {(others.length > 0 || ofMasks.error) && (
        <div>
          <p className="t2">{t('zones.otherMasks')}</p>
          {ofMasks.error && <ErrorPanel error={ofMasks.error} onRetry={ofMasks.retry} />}
          <MaskList masks={others} camera={camera} />
        </div>
      )}
      {active && (
        <div className={classes.fields}>
          {active.kind === 'floor' ? (
            <FloorFields active={active} edit={edit} />
          ) : (
            <TextInput
              label={t('zones.label')}
              description={t('zones.labelHelp', { name: active.name })}
              value={active.label ?? ''}
              maxLength={64}
              onChange={({ currentTarget }) => edit({ label: currentTarget.value || null })}
            />
          )}
          {active.kind === 'zone' && dwell && (
            <DwellField
              item={dwell}
              value={active.dwell_s}
              inherited={elements?.[dwell.key]}
              fault={dwellFault(usecase, active)}
              onChange={(dwell_s) => edit({ dwell_s })}
            />
          )}
          {active.kind === 'line' && <LineFields active={active} edit={edit} zones={zones} />}
          <Points active={active} zones={zones} />
        </div>
      )}
    </section>
  )
}

/** What was kept before a mask shows what it hides until it goes, and how long that takes. */
function BeforeMasks({ organizationId }: { organizationId: string }) {
  const { t } = useTranslation()
  const organizations = useQuery(api.organization.list.query({}))
  const days = organizations.data?.find(({ organization_id }) => organization_id === organizationId)?.raw_days
  if (days === undefined) return null
  return (
    <p className="t2">{t('zones.beforeMasks', { count: days, date: formatDate(portalNow() + days * 86_400_000) })}</p>
  )
}

type DwellProps = {
  /** The element that the zone follows while it says nothing itself. */
  item: PipelineItem
  value: number | null
  inherited: PipelineElements[string] | undefined
  fault: string | null
  onChange: (value: number | null) => void
}

function DwellField({ item, value, inherited, fault, onChange }: DwellProps) {
  const { t } = useTranslation()
  const [min, max] = [formatSetting(item.min ?? 0), formatSetting(item.max ?? 0)]
  return (
    <NumberInput
      label={t('zones.dwell')}
      description={t('zones.dwellHelp', { min, max })}
      placeholder={typeof inherited === 'number' ? t('zones.seconds', { value: formatSetting(inherited) }) : undefined}
      error={fault && fieldText(fault)}
      value={value ?? ''}
      suffix={t('zones.seconds', { value: '' })}
      decimalSeparator={decimalPoint()}
      allowedDecimalSeparators={['.', ',']}
      allowNegative={false}
      allowDecimal={item.type === 'number'}
      onChange={(next) => onChange(next === '' ? null : Number(next))}
    />
  )
}

/** How large the rectangle on the floor is. */
function FloorFields({ active, edit }: { active: Drawing; edit: (part: Partial<Drawing>) => void }) {
  const { t } = useTranslation()
  const [width, depth] = active.metres ?? [0, 0]
  return (
    <>
      <p className="t2">{t('zones.floorHelp')}</p>
      <div className={classes.sides}>
        {([0, 1] as const).map((side) => (
          <NumberInput
            key={side}
            label={t(side === 0 ? 'zones.floorWidth' : 'zones.floorDepth')}
            value={(side === 0 ? width : depth) || ''}
            withAsterisk
            min={0.1}
            max={500}
            step={0.1}
            decimalScale={2}
            suffix=" m"
            onChange={(value) => {
              // Nothing is measured by a length that nobody has said.
              const length = typeof value === 'number' && value > 0 ? value : 0
              edit({ metres: side === 0 ? [length, depth] : [width, length] })
            }}
          />
        ))}
      </div>
    </>
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
            disabled={active.points.length <= fewestPoints(active.kind)}
            onClick={() => zones.set(replace(zones.drawings, active.key, (drawing) => removePoint(drawing, index)))}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
    </fieldset>
  )
}
