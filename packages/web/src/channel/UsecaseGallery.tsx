import { Radio } from '@mantine/core'
import type { Bundle } from '@sightline/contract'
import { bundleKeys, type UsecaseKey } from '@sightline/domain'
import { useTranslation } from 'react-i18next'
import { usecaseIcons } from '../ui/analytics/usecase-icons.ts'
import { Tag } from '../ui/Health.tsx'
import classes from './channel.module.css'

type Props = {
  bundles: readonly Bundle[]
  value: UsecaseKey | null
  onChange: (key: UsecaseKey) => void
  /** Whether the licence that would be used covers it. */
  isCovered: (key: UsecaseKey) => boolean
}

/** Use cases by bundle: what each shows and what it needs. What needs a model or a calibration may be attached first: until then it waits. */
export function UsecaseGallery({ bundles, value, onChange, isCovered }: Props) {
  const { t } = useTranslation()
  // What most people come for is first, whatever the language.
  const ordered = bundleKeys.flatMap((key) => bundles.filter(({ type }) => type === key))
  return (
    <Radio.Group
      aria-label={t('channel.add.chooseUsecase')}
      value={value}
      onChange={(key) => onChange(key as UsecaseKey)}
    >
      {ordered.map(({ bundle_id, type, bundle_usecases }) => (
        <section key={bundle_id} className={classes.bundle}>
          <h3 className={classes.bundleName}>{t(`usecase.bundle.${type}`)}</h3>
          <div className={classes.gallery}>
            {bundle_usecases.map((item) => {
              const Icon = usecaseIcons[item.usecase_key]
              return (
                <Radio.Card key={item.usecase_key} value={item.usecase_key} className={classes.usecase} radius="md">
                  <Icon size={22} stroke={1.6} aria-hidden="true" />
                  <span className={classes.usecaseWords}>
                    <span className={classes.usecaseName}>{t(`usecase.name.${item.usecase_key}`)}</span>
                    <span>{t(`usecase.about.${item.usecase_key}`)}</span>
                    <span className="t2">{t(`usecase.needs.${item.usecase_key}`)}</span>
                    <span className={classes.needs}>
                      {!isCovered(item.usecase_key) && <Tag tone="warn">{t('channel.add.notCovered')}</Tag>}
                      {item.needs_line && <Tag>{t('channel.add.needsLine')}</Tag>}
                      {item.needs_model && <Tag>{t('channel.add.needsModel')}</Tag>}
                      {item.needs_calibration && <Tag>{t('channel.add.needsCalibration')}</Tag>}
                      {item.experimental && <Tag>{t('channel.add.experimental')}</Tag>}
                    </span>
                  </span>
                  <Radio.Indicator />
                </Radio.Card>
              )
            })}
          </div>
        </section>
      ))}
    </Radio.Group>
  )
}
