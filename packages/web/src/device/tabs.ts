/** Apart from the screen: the route needs them before the screen is loaded. */
export const deviceTabs = ['analytics', 'stream', 'activity'] as const
export type DeviceTab = (typeof deviceTabs)[number]
