import { ActionIcon, Button, SegmentedControl, Switch, Tooltip } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { IconDeviceCctv, IconMaximize, IconShieldCheck } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../session.ts'
import { CameraWall, isViolating } from '../ui/cameras/CameraWall.tsx'
import { useCustomerCameras } from '../ui/cameras/customer-cameras.ts'
import { useLevels } from '../ui/cameras/levels.ts'
import { UsecasePills } from '../ui/cameras/UsecasePills.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { NoCustomer } from '../ui/NoCustomer.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { type ColumnCount, columnCounts } from './columns.ts'
import classes from './wall.module.css'

type Props = {
  customer: Customer | null
  uc: UsecaseKey | undefined
  columns: ColumnCount
  onShow: (change: { uc?: UsecaseKey | undefined; cols?: ColumnCount }) => void
}

/** Every camera of a customer side by side, those in violation first, for a screen on the wall. */
export function LiveWall({ customer, ...rest }: Props) {
  const { t } = useTranslation()
  return customer ? (
    <OfCustomer key={customer.customer_id} customer={customer} {...rest} />
  ) : (
    <NoCustomer title={t('screen./analytic')} />
  )
}

function OfCustomer({ customer, uc, columns, onShow }: Props & { customer: Customer }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const frame = useRef<HTMLDivElement>(null)
  const [onlyViolating, setOnlyViolating] = useState(false)
  const levels = useLevels()
  const { query, view, cameras, total, remote, counts, stats } = useCustomerCameras(customer.customer_id, uc)
  const figures = stats.flatMap(({ data }) => data?.channels ?? [])
  const violating = cameras.filter((camera) => isViolating(camera, levels, figures))
  const shown = onlyViolating ? violating : cameras
  const fullscreen = async () => {
    if (document.fullscreenElement) await document.exitFullscreen()
    else await frame.current?.requestFullscreen()
  }
  return (
    <>
      <PageHeader
        title={t('screen./analytic')}
        meta={
          view &&
          [
            t('dashboard.cameras', { count: total ?? cameras.length }),
            violating.length > 0 && t('wall.violating', { count: violating.length }),
          ]
            .filter(Boolean)
            .join(' · ')
        }
      >
        <Switch
          label={t('wall.only')}
          checked={onlyViolating}
          onChange={({ currentTarget }) => setOnlyViolating(currentTarget.checked)}
        />
        <SegmentedControl
          className="hide-sm"
          aria-label={t('wall.columns')}
          value={columns}
          onChange={(cols) => onShow({ cols: cols as ColumnCount })}
          data={[...columnCounts]}
        />
        <Tooltip label={t('live.fullscreen')}>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t('live.fullscreen')}
            disabled={shown.length === 0}
            onClick={() => void fullscreen()}
          >
            <IconMaximize size={18} />
          </ActionIcon>
        </Tooltip>
      </PageHeader>
      {counts.size > 1 && <UsecasePills counts={counts} value={uc} onChange={(next) => onShow({ uc: next })} />}
      {query.isError && !view ? (
        <Panel>
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        </Panel>
      ) : !view ? (
        <BlockSkeleton height={480} />
      ) : shown.length > 0 ? (
        <div ref={frame} className={classes.wall}>
          <CameraWall
            key={`${uc} ${onlyViolating}`}
            cameras={shown}
            levels={levels}
            stats={figures}
            total={onlyViolating ? shown.length : total}
            remote={onlyViolating ? undefined : remote}
            columns={Number(columns)}
          />
        </div>
      ) : (
        <Panel>
          {cameras.length > 0 ? (
            <Empty
              icon={<IconShieldCheck stroke={1.5} />}
              title={t('wall.calm')}
              action={
                <Button variant="default" onClick={() => setOnlyViolating(false)}>
                  {t('wall.all')}
                </Button>
              }
            />
          ) : (
            <Empty
              icon={<IconDeviceCctv stroke={1.5} />}
              title={t('site.noCameras')}
              text={t('site.noCamerasText')}
              forbidden={!mayEdit}
              action={
                <Button component={Go} to="/site">
                  {t('site.title')}
                </Button>
              }
            />
          )}
        </Panel>
      )}
    </>
  )
}
