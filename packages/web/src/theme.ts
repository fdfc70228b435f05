import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const tuple = (text: string) => text.split(' ') as unknown as MantineColorsTuple

/** Ten shades of the brand colour, lightest first; buttons use index 5. */
const brand = tuple('#ecefff #d7dbfb #adb4ef #808ae4 #5b67da #4957d6 #3546d3 #2738bb #2031a9 #142996')
const dark = tuple('#e9ebf0 #b8bdc9 #949bab #6b7283 #3a404d #2a2f3a #1c2028 #13161c #0d0f14 #08090c')
const gray = tuple('#f7f8fa #eff1f4 #e4e7ec #d3d8e0 #b4bac6 #8f96a5 #667085 #475066 #2b3345 #151b2b')

const sans = '"Inter Variable", system-ui, sans-serif'

/** Notes look as banners do: a tint and an edge of their tone, with plain text. */
const tones: Readonly<Record<string, string>> = {
  red: 'bad',
  orange: 'warn',
  green: 'ok',
  blue: 'info',
  brand: 'info',
}
function noteVariables(color: string | undefined) {
  const tone = color && tones[color]
  if (!tone) return {}
  return {
    '--alert-bg': `color-mix(in srgb, var(--${tone}-dot) 10%, var(--app-surface))`,
    '--alert-bd': `1px solid color-mix(in srgb, var(--${tone}-dot) 40%, transparent)`,
    '--alert-color': `var(--${tone})`,
  }
}

/** Dialogs lie on a surface, not on the ground of the page. */
const surface = {
  content: { background: 'var(--app-surface)' },
  header: { background: 'var(--app-surface)' },
  title: { fontSize: '1rem', fontWeight: 620 },
}

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 5, dark: 5 },
  colors: { brand, dark, gray },
  fontFamily: sans,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "JetBrains Mono", Menlo, monospace',
  headings: {
    fontFamily: sans,
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '.9375rem', lineHeight: '1.4' },
    },
  },
  fontSizes: { xs: '.75rem', sm: '.8125rem', md: '.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '.5rem', sm: '.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  shadows: {
    xs: '0 1px 2px rgba(16,24,40,.06)',
    sm: '0 1px 3px rgba(16,24,40,.08), 0 1px 2px -1px rgba(16,24,40,.06)',
    md: '0 8px 24px -6px rgba(16,24,40,.16)',
  },
  // 600 phone, 992 drawer instead of menu, 1180 rail instead of menu, 1440 full width.
  breakpoints: { xs: '30em', sm: '37.5em', md: '62em', lg: '73.75em', xl: '90em' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' }, styles: { root: { fontWeight: 560 } } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm', autosize: true, minRows: 2, maxRows: 8 } },
    // The list itself scrolls: a scroll area around it would be a region that no keyboard reaches.
    Select: {
      defaultProps: { size: 'sm', checkIconPosition: 'right', withScrollArea: false },
      styles: { options: { maxHeight: 280, overflowY: 'auto' } },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250 } },
    Alert: { vars: (_theme: unknown, { color }: { color?: string }) => ({ root: noteVariables(color) }) },
    Badge: { styles: { root: { textTransform: 'none', fontWeight: 560 } } },
    Modal: { defaultProps: { centered: true, radius: 'lg' }, styles: surface },
    Drawer: { defaultProps: { position: 'right' }, styles: surface },
    // Tabs that do not fit are reached by swiping, not in a second row.
    Tabs: {
      styles: { list: { flexWrap: 'nowrap', overflowX: 'auto', scrollbarWidth: 'none' }, tab: { flex: 'none' } },
    },
  },
})

/** The tokens of the design, as CSS variables for both schemes. Text colours reach 4.5:1 on every surface they lie on. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    // Dark enough over their whole length for white text, the same in both schemes.
    '--grad-violation': 'linear-gradient(135deg,#7f1023 0%,#b3162c 45%,#d92a37 100%)',
    '--grad-metric': 'linear-gradient(135deg,#8a3206 0%,#b04508 48%,#c8560c 100%)',
  },
  light: {
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-text': '#151b2b',
    '--mantine-color-dimmed': '#5d6679',
    '--mantine-color-placeholder': '#5d6679',
    '--mantine-color-error': '#b3162c',
    '--mantine-color-default-border': '#d3d8e0',
    '--mantine-color-anchor': 'var(--mantine-color-brand-7)',
    '--app-surface': '#ffffff',
    '--app-surface-2': '#f9fafb',
    '--app-nav': '#ffffff',
    '--app-border': '#e4e7ec',
    '--app-border-strong': '#d3d8e0',
    '--app-text': '#151b2b',
    '--app-text-2': '#475066',
    '--app-text-3': '#5d6679',
    '--map-water': '#f3f5f8',
    '--map-land': '#e1e5ec',
    '--map-line': '#ffffff',
    '--app-hover': 'rgba(21,27,43,.045)',
    '--app-active': 'color-mix(in oklab, var(--mantine-color-brand-6) 10%, transparent)',
    '--app-active-text': 'var(--mantine-color-brand-8)',
    '--ok': '#05603a',
    '--ok-dot': '#12a150',
    '--warn': '#8a4b00',
    '--warn-dot': '#e79009',
    '--chart-warn': '#e8791f',
    '--bad': '#b3162c',
    '--bad-dot': '#e5384d',
    '--info': 'var(--mantine-color-brand-7)',
    '--info-dot': 'var(--mantine-color-brand-5)',
  },
  dark: {
    '--mantine-color-body': '#0d0f14',
    '--mantine-color-text': '#eceef3',
    '--mantine-color-dimmed': '#949bab',
    '--mantine-color-placeholder': '#949bab',
    '--mantine-color-error': '#ff8b96',
    '--mantine-color-default': '#13161c',
    '--mantine-color-default-border': 'rgba(255,255,255,.14)',
    '--mantine-color-default-hover': '#1c2028',
    '--mantine-color-anchor': 'var(--mantine-color-brand-2)',
    '--app-surface': '#13161c',
    '--app-surface-2': '#181c23',
    '--app-nav': '#0f1217',
    '--app-border': 'rgba(255,255,255,.075)',
    '--app-border-strong': 'rgba(255,255,255,.14)',
    '--app-text': '#eceef3',
    '--app-text-2': '#b8bdc9',
    '--app-text-3': '#949bab',
    '--map-water': '#10131a',
    '--map-land': '#232935',
    '--map-line': '#10131a',
    '--app-hover': 'rgba(255,255,255,.05)',
    '--app-active': 'color-mix(in oklab, var(--mantine-color-brand-4) 18%, transparent)',
    '--app-active-text': '#ffffff',
    '--ok': '#4ade92',
    '--ok-dot': '#2fd07c',
    '--warn': '#f7b955',
    '--warn-dot': '#f5a524',
    '--chart-warn': '#e8791f',
    '--bad': '#ff8b96',
    '--bad-dot': '#f5475c',
    '--info': 'var(--mantine-color-brand-2)',
    '--info-dot': 'var(--mantine-color-brand-3)',
  },
})
