export const common = {
  add: 'Add',
  save: 'Save changes',
  cancel: 'Cancel',
  delete: 'Delete',
  edit: 'Edit',
  open: 'Open',
  close: 'Close',
  back: 'Back',
  next: 'Next',
  continue: 'Continue',
  skip: 'Skip',
  finish: 'Finish',
  retry: 'Try again',
  refresh: 'Refresh',
  copy: 'Copy',
  copied: 'Copied',
  search: 'Search',
  actions: 'Actions',
  actionsFor: 'Actions for {{name}}',
  clearFilters: 'Clear filters',
  nothingMatches: 'Nothing matches',
  nothingMatchesHint: 'No row fits the filter.',
  optional: 'optional',
  /** A name and what is said of it. */
  pair: '{{name}}: {{text}}',
  yes: 'Yes',
  no: 'No',
  none: 'None',
  unknown: 'Unknown',
  loading: 'Loading',
  updated: 'Updated {{time}}',
  stale: 'Not up to date since {{time}}',
  previous: 'Previous page',
  nextPage: 'Next page',
  page: 'Page {{page}}',
  rows: '{{from}}–{{to}} of {{total}}',
  sortAscending: 'sorted ascending',
  sortDescending: 'sorted descending',
  watched: { h1: 'watched {{time}} of the last hour', h24: 'watched {{time}} of 24 h' },
  clock: { label: 'Times by the clock of', site: 'Site', mine: 'Mine', utc: 'UTC' },
  diff: { added: 'added: ', removed: 'removed: ' },
  selectLoaded_one: 'Select the {{count}} row that is shown',
  selectLoaded_other: 'Select the {{count}} rows that are shown',
  selectedLoaded_one: '{{count}} row is selected; the list goes on, and what comes is not selected.',
  selectedLoaded_other: 'These {{count}} rows are selected; the list goes on, and what comes is not selected.',
  loadMore: 'Show more',
  selectAll: 'Select all',
  selectRow: 'Select {{name}}',
  name: 'Name',
  description: 'Description',
  state: 'State',
  language: 'Language',
  en: 'English',
  fr: 'Français',
  never: 'Never',
  default: 'Default',
  seconds_one: '{{count}} second',
  seconds_other: '{{count}} seconds',
} as const

export const health = {
  healthy: 'Healthy',
  'needs attention': 'Needs attention',
  analytics_one: '{{count}} analytic needs attention',
  analytics_other: '{{count}} analytics need attention',
  offline: 'Offline',
  unknown: 'Unknown',
  starting: 'Starting',
  noCameras: 'No cameras',
} as const

export const empty = {
  customer: 'There are no customers yet.',
  organization: 'There is no organization.',
  mapping: 'No stream is mapped yet.',
  askAdmin: 'Ask an administrator to do this.',
} as const

export const state = {
  errorTitle: 'This could not be loaded',
  noAccess: 'You do not have access to this screen',
  noAccessHint: 'An administrator of your organization can grant it.',
  noAccessBack: 'Go back',
  draftRestored: 'What you typed before is back.',
  draftDiscard: 'Discard it',
  unsavedTitle: 'Leave without saving?',
  unsavedText: 'What you changed here is not saved yet.',
  unsavedLeave: 'Leave',
  unsavedStay: 'Stay',
  lostSecrets: 'passwords, licence keys and names of people',
  lostLarge: 'rows that are more than a browser tab keeps',
  behindTitle: 'Changed meanwhile',
  behindText:
    'Somebody else saved changes here while you worked on it. Nothing of yours is lost: take theirs instead, or keep yours on top of theirs and then save.',
  behindTheirs: 'Take theirs',
  behindMine: 'Keep mine on top',
  typeToConfirm: 'Type {{name}} to confirm',
} as const

/** Headings of the error pages, word for word as specified. */
export const errorPage = {
  title500: 'Oops -- Something went wrong !!',
  title404: 'Whoops, 404 The page you were looking for does not exist',
  title400: 'Woow -- Bad request !!',
  text500: 'Something went wrong',
  text404: 'The page does not exist',
  text400: 'Bad request',
  incomplete: 'This address is incomplete: it does not say what to show',
  code: 'Status code',
  trace: 'Trace id',
  out: 'Get me out of here!',
  support: 'Get Support',
} as const

export const wizard = {
  position: 'Step {{step}} of {{total}}',
  done: 'done',
} as const

export const image = {
  webcam: 'Take a picture',
  take: 'Take it',
  webcamFault: {
    refused: 'The browser may not use the camera. Allow it in the settings of this page.',
    missing: 'No camera was found on this device.',
  },
  drop: 'Drop an image here or choose one: JPEG, PNG or WebP. Large photos are made smaller.',
  remove: 'Remove image',
} as const

export const role = {
  super_admin: 'Super admin',
  admin: 'Admin',
  user: 'User',
  super_viewer: 'Super viewer',
  viewer: 'Viewer',
} as const
