type Props = { size?: number; src?: string | null }

/** The instance's logo, or ours. Beside it always stands the name, so it says nothing itself. */
export function Logo({ size = 26, src }: Props) {
  if (src) return <img src={src} alt="" height={size} style={{ maxWidth: size * 4, objectFit: 'contain' }} />
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="var(--mantine-color-brand-5)" />
      <path
        d="M6 16c3-5 6.4-7.4 10-7.4S23 11 26 16c-3 5-6.4 7.4-10 7.4S9 21 6 16Z"
        fill="none"
        stroke="#fff"
        strokeWidth="2.3"
      />
      <circle cx="16" cy="16" r="3.6" fill="#fff" />
    </svg>
  )
}
