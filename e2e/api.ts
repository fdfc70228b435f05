/** The portal's API as a signed-in person, beside the browser: for what a test checks, not for what it shows. */
import { type Api, api, type Op, type Reply, type Send } from '@sightline/contract'

export type Caller = {
  call<F extends keyof Api, K extends keyof Api[F]>(
    feature: F,
    name: K,
    input: Api[F][K] extends Op ? Send<Api[F][K]> : never,
  ): Promise<Api[F][K] extends Op ? Reply<Api[F][K]> : never>
  cookie: string
}

/** Signs in and answers calls; a refusal throws with its status and text. */
export async function signIn(origin: string, username: string, password: string): Promise<Caller> {
  let cookie = ''
  let csrf = ''
  const send = async (row: Op, input: Record<string, unknown>): Promise<unknown> => {
    const url = new URL(`/api/v1${row.path}`, origin)
    if (row.method === 'GET')
      for (const [name, value] of Object.entries(input))
        if (value !== undefined) url.searchParams.set(name, String(value))
    const response = await fetch(url, {
      method: row.method,
      headers: {
        origin,
        cookie,
        ...(csrf ? { 'x-csrf-token': csrf } : {}),
        ...(row.method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      body: row.method === 'GET' ? undefined : JSON.stringify(input),
    })
    // One person's pages and these calls share the calls of a minute.
    const waitSeconds = Number(response.headers.get('retry-after'))
    if (response.status === 429 && waitSeconds > 0) {
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000))
      return send(row, input)
    }
    const set = response.headers.getSetCookie().map((one) => one.split(';')[0])
    if (set.length > 0) cookie = set.join('; ')
    const body = (await response.json()) as { response: unknown; message?: string; errors?: unknown }
    if (!response.ok)
      throw new Error(
        `${row.method} ${row.path}: ${response.status} ${body.message} ${JSON.stringify(body.errors ?? {})}`,
      )
    return body.response
  }
  const login = (await send(api.auth.login, { username, password })) as { csrf_token: string }
  csrf = login.csrf_token
  return {
    call: (feature, name, input) => send(api[feature][name] as Op, input as Record<string, unknown>) as never,
    get cookie() {
      return cookie
    },
  }
}
