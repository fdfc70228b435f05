/** Apart from the screen: the route needs them before the screen is loaded. */
export const siteTabs = ['cameras', 'faces', 'users', 'about'] as const
export type SiteTab = (typeof siteTabs)[number]
