import { roles } from '@sightline/domain'
import * as z from 'zod'
import { email, id, paging, password, person, phone, requiredLine, stored, username, version } from './field.ts'
import { op } from './op.ts'

const role = z.enum(roles)

export const uiConfig = z
  .strictObject({
    dark: z.boolean().default(false),
    language: z.enum(['en', 'fr']).optional(),
    time_display: z.enum(['site', 'mine', 'utc']).optional(),
    timezone: z.string().max(64).optional(),
    single_keys: z.boolean().optional(),
    sounds: z.boolean().optional(),
    selected_customer_id: z.uuid().nullable().optional(),
    /** The first-run checklist was put away. */
    checklist_done: z.boolean().optional(),
  })
  .meta({ id: 'UiConfig' })
export type UiConfig = z.infer<typeof uiConfig>
export const userConfig = z.object({ ui_config: uiConfig })
/** As `uiConfig`, every field optional and without defaults: what a PATCH merges. */
const uiConfigChange = z.strictObject({ ...uiConfig.shape, dark: z.boolean().optional() })

export const user = z
  .object({
    user_id: z.uuid(),
    firstname: z.string(),
    lastname: z.string(),
    email: z.string(),
    username: z.string(),
    role_key: role,
    phone: z.string().nullable(),
    status: z.enum(['invited', 'active', 'disabled', 'locked']),
    last_login_at: z.string().nullable(),
    auth_methods: z.array(z.string()),
    user_config: userConfig,
    customer_ids: z.array(z.uuid()),
    site_ids: z.array(z.uuid()),
    usecase_ids: z.array(z.uuid()),
    channel_ids: z.array(z.uuid()),
    ...stored,
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof user>

export const userInfo = user
  .extend({
    privileges: z.array(z.string()),
    organization: z.object({ organization_id: z.uuid(), organization_name: z.string() }),
    csrf_token: z.string(),
    auth_time: z.string(),
    /** Until when this session sees clearly what is blurred for its role; null: it gave no reason, or that is over. */
    unblurred_until: z.string().nullable(),
  })
  .meta({ id: 'UserInfo' })
export type UserInfo = z.infer<typeof userInfo>

export const session = z
  .object({
    session_id: z.uuid(),
    user_id: z.uuid(),
    created_at: z.string(),
    last_seen_at: z.string(),
    expires_at: z.string(),
    ip: z.string(),
    user_agent: z.string(),
    auth_method: z.string(),
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof session>

const unblurred = userInfo.pick({ unblurred_until: true })

const names = { firstname: person, lastname: person, email, username }
const passwords = { password, confirm_password: z.string({ error: 'required' }).min(1, 'required') }
const passwordsMatch = [
  (value: { password: string; confirm_password: string }) => value.password === value.confirm_password,
  { path: ['confirm_password'] as PropertyKey[], error: 'password_mismatch' },
] as const

/** The registration form; `token` is the one-time setup token of the first start, or an invitation. */
export const registration = z
  .strictObject({ ...names, ...passwords, role: role.optional(), token: z.string().max(200).optional() })
  .refine(...passwordsMatch)

export const userDraft = z
  .strictObject({
    ...names,
    ...passwords,
    role_key: role.default('viewer'),
    phone: phone.nullable().default(null),
    organization_id: id.optional(),
  })
  .refine(...passwordsMatch)

export const userChange = z.strictObject({
  user_id: id,
  firstname: person.optional(),
  lastname: person.optional(),
  email: email.optional(),
  username: username.optional(),
  role_key: role.optional(),
  phone: phone.nullable().optional(),
  status: z.enum(['active', 'disabled']).optional(),
  version,
})

export const passwordChange = z
  .strictObject({ current: z.string().min(1, 'required'), ...passwords })
  .refine(...passwordsMatch)

const none = z.strictObject({})

export const userOps = {
  info: op({
    method: 'GET',
    path: '/user/info',
    summary: 'The signed-in person',
    access: 'viewer_and_above',
    input: none,
    output: userInfo,
  }),
  register: op({
    method: 'POST',
    path: '/user/register',
    summary: 'Register: the first administrator with the setup token, later only where self-registration is on',
    access: 'public',
    input: registration,
    output: user,
    status: 201,
  }),
  create: op({
    method: 'PUT',
    path: '/user/create',
    summary: 'Create a user',
    access: 'admin_and_above',
    input: userDraft,
    output: user,
    status: 201,
  }),
  list: op({
    method: 'POST',
    path: '/user/list',
    summary: 'Users in reach',
    access: 'viewer_and_above',
    reads: true,
    input: z.strictObject({
      role_key: role.optional(),
      organization_id: id.optional(),
      /** To whom it is assigned. */
      customer_id: id.optional(),
      q: z.string().max(100).optional(),
      status: z.enum(['invited', 'active', 'disabled', 'locked']).optional(),
      ...paging,
    }),
    output: z.array(user),
  }),
  id: op({
    method: 'POST',
    path: '/user/id',
    summary: 'One user',
    access: 'viewer_and_above',
    reads: true,
    input: z.strictObject({ user_id: id }),
    output: user,
  }),
  update: op({
    method: 'PATCH',
    path: '/user/update',
    summary: 'Change a user, or oneself without the role',
    access: 'viewer_and_above',
    input: userChange,
    output: user,
  }),
  delete: op({
    method: 'DELETE',
    path: '/user',
    summary: 'Delete a user',
    access: 'admin_and_above',
    input: z.strictObject({ user_id: id }),
    output: z.object({ user_id: z.uuid() }),
  }),
  configReplace: op({
    method: 'PUT',
    path: '/user/config',
    summary: "Replace one's settings",
    access: 'viewer_and_above',
    input: z.strictObject({ ui_config: uiConfig }),
    output: userConfig,
    status: 201,
  }),
  config: op({
    method: 'GET',
    path: '/user/config',
    summary: "One's settings",
    access: 'viewer_and_above',
    input: z.strictObject({ user_id: id.optional() }),
    output: userConfig,
  }),
  configUpdate: op({
    method: 'PATCH',
    path: '/user/config',
    summary: "Change some of one's settings",
    access: 'viewer_and_above',
    input: z.strictObject({ ui_config: uiConfigChange }),
    output: userConfig,
  }),
  password: op({
    method: 'PATCH',
    path: '/user/password',
    summary: "Change one's password; ends the other sessions",
    access: 'viewer_and_above',
    input: passwordChange,
    output: z.object({ user_id: z.uuid() }),
  }),
  sessions: op({
    method: 'POST',
    path: '/user/session/list',
    summary: 'Sign-in sessions',
    access: 'viewer_and_above',
    reads: true,
    input: z.strictObject({ user_id: id.optional() }),
    output: z.array(session),
  }),
  sessionRevoke: op({
    method: 'DELETE',
    path: '/user/session',
    summary: 'End a session',
    access: 'viewer_and_above',
    input: z.strictObject({ session_id: id }),
    output: z.object({ session_id: z.uuid() }),
  }),
  unblur: op({
    method: 'POST',
    path: '/user/session/unblur',
    summary: "See pictures clearly for a while that are blurred for one's role, for a reason that is written down",
    access: 'viewer_and_above',
    input: z.strictObject({ reason: requiredLine(6, 500) }),
    output: unblurred,
  }),
  blur: op({
    method: 'DELETE',
    path: '/user/session/unblur',
    summary: 'See pictures blurred again',
    access: 'viewer_and_above',
    input: z.strictObject({}),
    output: unblurred,
  }),
  email: op({
    method: 'POST',
    path: '/user/email',
    summary: 'Who in reach has an e-mail address',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({ email }),
    output: z.object({
      exists: z.boolean(),
      user_id: z.uuid().nullable(),
      firstname: z.string().nullable(),
      lastname: z.string().nullable(),
    }),
  }),
  bySite: op({
    method: 'GET',
    path: '/user/list/site',
    summary: 'People of the organization who reach a site',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id }),
    output: z.array(
      user
        .pick({ user_id: true, firstname: true, lastname: true, username: true, role_key: true, status: true })
        .extend({
          /** Each way by which they do: taking one away leaves the others. */
          by: z.array(z.enum(['role', 'customer', 'site'])),
        }),
    ),
  }),
}
