import * as z from 'zod'
import { op } from './op.ts'
import { userInfo } from './user.ts'

export const credentials = z
  .strictObject({
    username: z.string().min(1, 'required').max(254).optional(),
    email: z.string().min(1, 'required').max(254).optional(),
    password: z.string({ error: 'required' }).min(1, 'required').max(256, 'too_long'),
  })
  .refine((value) => value.username !== undefined || value.email !== undefined, {
    path: ['username'],
    error: 'required',
  })

export const auth = {
  login: op({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in with user name or e-mail address and password',
    access: 'public',
    input: credentials,
    output: userInfo,
  }),
  logout: op({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out',
    access: 'viewer_and_above',
    input: z.strictObject({}),
    output: z.object({}),
  }),
}
