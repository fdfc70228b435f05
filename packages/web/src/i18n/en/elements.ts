export const elements = {
  group: {
    analytic: 'What counts',
    zones: 'In and out of zones',
    calibration: 'Distances',
    detector: 'Detection',
    decode: 'Pictures',
    motion: 'Motion',
    tracker: 'Following',
    sink: 'Clips of violations',
  },
  changed_one: '{{count}} changed',
  changed_other: '{{count}} changed',
  range: '{{min}} to {{max}}',
  hot: 'without a restart',
  restarts: 'restarts the analytic',
  reset: 'Back to {{value}}',
  noModel: 'No model',
  noModels: 'No model has been added yet.',
  addModel: 'Add a model',
} as const

export const bundle = {
  meta: 'What each use case starts with when it is attached to a camera. Analytics that run are left as they are.',
  readOnly: 'What each use case starts with when it is attached to a camera. Super admins change it.',
  usecases: 'Use cases',
  own: 'Your organization’s',
  factory: 'Factory',
  view: 'Shown as',
  form: 'Form',
  document: 'Defaults as JSON',
  toFactory: 'Back to factory',
  save: 'Save defaults',
} as const
