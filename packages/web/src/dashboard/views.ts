/** The views of the dashboard, and which one somebody looked at last. Apart from the page: its address is checked with it. */
export const views = ['camera', 'usecase', 'map'] as const
export type View = (typeof views)[number]

const savedAs = 'dashboard-view'

/** What the address says, else what was looked at last in this browser. */
export const viewOf = (asked: View | undefined): View =>
  asked ?? views.find((view) => view === localStorage.getItem(savedAs)) ?? 'camera'

export const rememberView = (view: View): void => localStorage.setItem(savedAs, view)
