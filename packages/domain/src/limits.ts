/** Business constants of the specification, section 9, and limits of our own, each in one place for form, server and help text. */

export const notificationDisplayMs = 5000
export const statusRetrySeconds = 10
export const imageMaxBytes = 2 * 1024 * 1024
export const bulkDevices = 12
/** Of one camera. */
export const mostStreams = 4
/**
 * For how long an edge server listens for cameras. They may wait half a second before they answer (APP_MAX_DELAY of
 * WS-Discovery), so the first search is over within a second; the longer one is for cameras that sleep, when one asks.
 */
export const listenSeconds = { first: 0.7, longer: 6 } as const
/** Site counts, dashboard events and notifications look back this long. */
export const recentHours = 24
/** A channel counts as active when it sent a record in this time. */
export const activeHours = 3
/** A channel is online while its records are newer than this. */
export const onlineSeconds = 30
export const defaultRate = 25
/** A map shows no more sites. */
export const mostPlaces = 20_000
export const licenseExpiringDays = 30
export const communityChannels = 16

/** First boot seeds these; ids are fixed so that every instance agrees. */
export const defaultOrganizationId = '00000000-0000-7000-8000-000000000001'
export const communityLicenseId = '00000000-0000-7000-8000-000000000002'
export const localNimbleId = '00000000-0000-7000-8000-000000000003'
/** A new alert tells again after this time at the earliest. */
export const cooldownSeconds = 300
/** Length of a window record unless its pipeline says otherwise. */
export const eventWindowSeconds = 5
/** For how long the newest record of a channel says how it is: two of its windows are patience enough for a busy edge server. */
export const freshMs = (windowSeconds: number): number => 1000 * Math.max(onlineSeconds, 2 * windowSeconds)

/** How full the disk of the events is, the worst last. */
export const diskLevels = ['ok', 'low', 'dropping', 'stopped'] as const
export type DiskLevel = (typeof diskLevels)[number]
/** Used shares from which on administrators are warned · the oldest raw day goes every hour · no event is taken. */
export const diskMarks = { low: 0.85, dropping: 0.92, stopped: 0.97 } as const
/** So far below its mark a level ends that began at it: what is written and deleted all day moves a disk about a mark. */
export const diskMargin = 0.01
