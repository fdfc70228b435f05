/** How long a sign-in holds: without any activity, and however active somebody is. */
export const sessionIdleMinutes = 30
export const sessionHours = 12
