/** Apart from the screen: the route needs them before the screen is loaded. */
export const profileTabs = ['person', 'password', 'preferences', 'sessions'] as const
export type ProfileTab = (typeof profileTabs)[number]
