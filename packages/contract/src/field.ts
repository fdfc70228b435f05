/**
 * The field rules of the specification (section 5), shared by forms and server.
 * A refusal's text is a message id that both languages translate; arguments follow a colon: `greater_than:0`.
 */
import { isHost, isZone, namePattern, personPattern } from '@sightline/domain'
import * as z from 'zod'

const text = (max: number) =>
  z
    .string({ error: 'required' })
    .normalize('NFC')
    .transform((value) => value.trimEnd())
    .pipe(
      z
        .string()
        .max(max, 'too_long')
        .regex(/^(?!\s)/, 'no_leading_space'),
    )

/** Free text, may be empty. */
export const line = (max = 255) => text(max)
/** Text that must hold at least `min` characters; an empty value is `required`, a shorter one `min_length_<min>`. */
export const requiredLine = (min: 1 | 2 | 6 = 1, max = 255) =>
  text(max).pipe(z.string().min(1, { error: 'required', abort: true }).min(min, `min_length_${min}`))
/** The name of a thing: letters of any script, digits, space, hyphen, underscore; 2 to 64. */
export const thing = requiredLine(2, 64).pipe(z.string().regex(namePattern, 'name_characters'))
/** A person's name: as `thing`, and apostrophe and full stop. */
export const person = requiredLine(2, 64).pipe(z.string().regex(personPattern, 'person_characters'))
export const description = line(2000)
/** Optional text with a minimum once given. */
export const optionalLine = (min: 2 | 6, max = 255) =>
  line(max).pipe(z.string().refine((value) => value === '' || value.length >= min, `min_length_${min}`))

export const id = z.uuid({ error: 'id_invalid' }).transform((value) => value.toLowerCase())
export const email = requiredLine(1, 254).pipe(z.email({ error: 'email_invalid', pattern: z.regexes.email }))
export const username = requiredLine(6, 64).pipe(z.string().regex(/^[\p{L}\p{N}._\-@]+$/u, 'username_characters'))
/** At least 8 characters with a special character and a number; at most 256. Never trimmed. */
export const password = z
  .string({ error: 'required' })
  .min(1, { error: 'required', abort: true })
  .max(256, 'too_long')
  .refine((value) => value.length >= 8 && /\d/.test(value) && /[^\p{L}\p{N}\s]/u.test(value), 'password_weak')
export const phone = z
  .string()
  .transform((value) => value.replace(/[\s.()-]/g, ''))
  .pipe(z.string().regex(/^\+\d{7,15}$/, 'phone_invalid'))
export const host = requiredLine(1).pipe(z.string().refine(isHost, 'host_invalid'))
export const whole = z.number({ error: 'integer' }).refine(Number.isInteger, 'integer')
export const port = whole.pipe(z.number().min(1, 'port_invalid').max(65535, 'port_invalid'))
export const greaterThan = (bound: number) => whole.pipe(z.number().gt(bound, `greater_than:${bound}`))
export const upTo10000 = whole.pipe(z.number().min(0, 'range_0_10000').max(10000, 'range_0_10000'))
/** 1 to 10,000, or −1 to disable. */
export const countOrDisabled = whole.refine(
  (value) => value === -1 || (value >= 1 && value <= 10000),
  'count_or_disabled',
)
export const timeoutSeconds = whole.pipe(z.number().min(60, 'timeout_range').max(300, 'timeout_range'))
export const zip = line(10).pipe(
  z.string().refine((value) => value === '' || /^[A-Za-z0-9][A-Za-z0-9 -]{2,9}$/.test(value), 'zip_invalid'),
)
/** ISO 3166-1 alpha-2, upper case; empty when unknown. */
export const country = line(2).pipe(
  z.string().refine((value) => value === '' || /^[A-Z]{2}$/.test(value), 'min_length_2'),
)
export const timezone = requiredLine(1, 64).pipe(z.string().refine(isZone, 'timezone_invalid'))
/** Either side of a tag, `floor = 2`: the characters of a name, 1 to 64. */
export const tagPart = requiredLine(1, 64).pipe(z.string().regex(namePattern, 'name_characters'))
export const mostTags = 32
export const tags = z.record(tagPart, tagPart).refine((map) => Object.keys(map).length <= mostTags, 'too_many')
/** That of a stored row, a PostgreSQL int. */
export const version = z.int32().optional()

/** A path that `POST /upload` answered. */
export const uploaded = z.string().regex(/^\/\S*\/media\/[0-9a-f-]{36}$/, 'upload_unknown')

/** Fields that every stored entity answers. */
export const stored = {
  organization_id: z.uuid(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
}

/** A URL holds only strings. These read them and keep the caller's side typed; an empty value is refused, not read as 0. */
export const queryNumber = () =>
  z.union([z.number(), z.string().min(1, 'integer')]).pipe(z.coerce.number({ error: 'integer' }))
export const queryFlag = () =>
  z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => value === true || value === 'true')
/** One comma-separated parameter of so many items at most; a repeated key is refused. */
export const queryList = <T extends z.ZodType<string, string>>(item: T, most = 100) =>
  z
    .union([z.array(item), z.string()])
    .transform((value) => (Array.isArray(value) ? value.join(',') : value))
    .transform((value) => value.split(',').filter((part) => part !== ''))
    .pipe(z.array(item).max(most, 'too_many'))
/** Of lists that answer without it too: then at most 500 rows. */
export const optionalPaging = {
  limit: queryNumber()
    .pipe(whole.pipe(z.number().min(1, 'page_limit').max(500, 'page_limit')))
    .optional(),
  offset: queryNumber()
    .pipe(whole.pipe(z.number().min(0, 'page_limit').max(10000, 'page_offset')))
    .optional(),
}
/** Part of a name, upper and lower case alike. */
export const search = line(64).optional()
export const paging = {
  limit: queryNumber()
    .pipe(whole.pipe(z.number().min(1, 'page_limit').max(500, 'page_limit')))
    .default(50),
  offset: queryNumber()
    .pipe(whole.pipe(z.number().min(0, 'page_limit').max(10000, 'page_offset')))
    .default(0),
}
