import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { saveConfig } from './customer.ts'

export type ThemeChoice = 'light' | 'dark' | 'system'

const savedAs = 'mantine-color-scheme-value'

/**
 * The chosen theme. Light and dark are the person's setting (`ui_config.dark`) and follow them to other machines;
 * "system" is a choice of this machine.
 */
export function useTheme(): { choice: ThemeChoice; isDark: boolean; choose: (next: ThemeChoice) => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return {
    choice: colorScheme === 'auto' ? 'system' : colorScheme,
    isDark,
    choose(next) {
      setColorScheme(next === 'system' ? 'auto' : next)
      if (next !== 'system') void saveConfig({ dark: next === 'dark' })
    },
  }
}

/** Shows the person's own theme once they are signed in, unless this machine was told to follow the system. */
export function useThemeOfUser(): void {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useStore(session, (user) => user?.user_config.ui_config.dark)
  useEffect(() => {
    if (dark !== undefined && localStorage.getItem(savedAs) !== 'auto') setColorScheme(dark ? 'dark' : 'light')
  }, [dark, setColorScheme])
}
