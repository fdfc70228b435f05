import { ActionIcon, Button, SegmentedControl, Switch, Tooltip } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { IconDeviceCctv, IconMaximize, IconShieldCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../session.ts'
import { CameraWall } from '../ui/cameras/CameraWall.tsx'
import { useCustomerCameras } from '../ui/cameras/customer-cameras.ts'
import { useLevels } from '../ui/cameras/levels.ts'
import { isViolating } from '../ui/cameras/now.ts'
import { UsecasePills } from '../ui/cameras/UsecasePills.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { NoCustomer } from '../ui/NoCustomer.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { type ColumnCount, columnCounts } from './columns.ts'
import { Kiosk } from './Kiosk.tsx'
import { WallTiles } from './WallTiles.tsx'

type Props = {
  customer: Customer | null
  uc: UsecaseKey | undefined
  columns: ColumnCount
  /** The wall alone, without what is around it: said by the address, so that it comes back after a reload. */
  isKiosk: boolean
  onShow: (change: { uc?: UsecaseKey | undefined; cols?: ColumnCount; kiosk?: '1' | undefined }) => void
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

function OfCustomer({ customer, uc, columns, isKiosk, onShow }: Props & { customer: Customer }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const [onlyViolating, setOnlyViolating] = useState(false)
  const levels = useLevels()
  const { query, view, cameras, total, remote, counts, alarming } = useCustomerCameras(customer.customer_id, uc)
  const violating = cameras.filter((camera) => isViolating(camera, levels, alarming))
  const shown = onlyViolating ? violating : cameras
  const onColumns = (cols: ColumnCount) => onShow({ cols })
  const enterKiosk = () => {
    onShow({ kiosk: '1' })
    // A browser that refuses still has the wall in its window.
    document.documentElement
      .requestFullscreen?.()
      .catch((error: Error) => console.info(`No full screen: ${error.message}`))
  }
  const wall = { levels, alarming, columns, onColumns }
  return (
    <>
      {isKiosk && view && (
        <Kiosk
          {...wall}
          title={[customer.customer_name, uc && t(`usecase.name.${uc}`)].filter(Boolean).join(' · ')}
          cameras={[...violating, ...cameras.filter((camera) => !violating.includes(camera))].filter(
            (camera) => !onlyViolating || violating.includes(camera),
          )}
          total={total}
          remote={onlyViolating ? undefined : remote}
          onLeave={() => onShow({ kiosk: undefined })}
        >
          <Empty
            icon={<IconDeviceCctv stroke={1.5} />}
            title={t(cameras.length > 0 ? 'wall.calm' : 'site.noCameras')}
          />
        </Kiosk>
      )}
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
        <Tooltip label={t('wall.kiosk')}>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t('wall.kiosk')}
            disabled={cameras.length === 0}
            onClick={enterKiosk}
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
      ) : isKiosk ? null : shown.length > 0 ? (
        <WallTiles {...wall} cameras={shown}>
          {(live) => (
            <CameraWall
              key={`${uc} ${onlyViolating}`}
              cameras={shown}
              levels={levels}
              alarming={alarming}
              total={onlyViolating ? shown.length : total}
              remote={onlyViolating ? undefined : remote}
              columns={Number(columns)}
              live={live}
            />
          )}
        </WallTiles>
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
