import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.css'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './app/client.ts'
import { startLanguage } from './app/language.ts'
import { partMissing } from './app/missing-part.ts'
import { router } from './app/router.ts'
import { Toaster } from './app/Toaster.tsx'
import { cssVariables, theme } from './theme.ts'

/** The portal's nonce, for the style elements that Mantine adds. */
const nonce = () => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''

addEventListener('vite:preloadError', partMissing)

// The library that stops the page from scrolling under a dialog looks for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce() })

await startLanguage()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={nonce}
      >
        <RouterProvider router={router} />
        <Toaster />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
)
