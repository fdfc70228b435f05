import { Button, Input, SegmentedControl, Stack, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { saveConfig } from '../app/customer.ts'
import { type ThemeChoice, useTheme } from '../app/theme.ts'
import { useChooseLanguage } from '../app/use-language.ts'
import { type Language, language, languages } from '../i18n/index.ts'
import { useMay, useUser } from '../session.ts'
import { Panel } from '../ui/Panel.tsx'

const themes: ThemeChoice[] = ['light', 'dark', 'system']

/** What applies at once, without a save button. */
export function PreferencesTab() {
  const { t } = useTranslation()
  const chooseLanguage = useChooseLanguage()
  const { choice, choose } = useTheme()
  const { ui_config } = useUser().user_config
  const isSuperAdmin = useMay('super_admin_only')
  return (
    <Panel>
      <Stack gap="lg" maw={460}>
        <Input.Wrapper label={t('profile.language')} labelElement="div">
          <SegmentedControl
            mt={4}
            fullWidth
            aria-label={t('profile.language')}
            value={language()}
            onChange={(next) => void chooseLanguage(next as Language)}
            data={languages.map((one) => ({ value: one, label: t(`common.${one}`) }))}
          />
        </Input.Wrapper>
        <Input.Wrapper label={t('profile.theme')} labelElement="div" description={t('profile.themeHint')}>
          <SegmentedControl
            mt={4}
            fullWidth
            aria-label={t('profile.theme')}
            value={choice}
            onChange={(next) => choose(next as ThemeChoice)}
            data={themes.map((one) => ({ value: one, label: t(`profile.${one}`) }))}
          />
        </Input.Wrapper>
        <Switch
          label={t('profile.keys')}
          description={t('profile.keysHint')}
          checked={ui_config.single_keys !== false}
          onChange={({ currentTarget: { checked } }) => void saveConfig({ single_keys: checked })}
        />
        {isSuperAdmin && ui_config.checklist_done && (
          <Input.Wrapper description={t('profile.checklistHint')} inputWrapperOrder={['input', 'description']}>
            <Button variant="default" onClick={() => void saveConfig({ checklist_done: false })}>
              {t('profile.checklist')}
            </Button>
          </Input.Wrapper>
        )}
      </Stack>
    </Panel>
  )
}
