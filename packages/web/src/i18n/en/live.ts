export const live = {
  live: 'Live',
  connecting: 'Connecting',
  waiting: 'No picture',
  ended: 'Ended',
  noPicture: 'There is no picture',
  since: 'since {{at}}',
  retrying: 'Trying again by itself.',
  buffer: '{{seconds}} s behind',
  fps: '{{count}} fps',
  video: 'Video',
  instead: {
    unplayable: 'Still pictures: this browser cannot play the stream',
    role_blurred: 'Blurred for your role: pictures instead of video',
    privacy_masks: 'Privacy masks: pictures instead of video',
  },
  otherShape: 'No boxes: the analysed stream has another shape',
  zones: 'Zones and lines',
  boxes: 'Boxes',
  fullscreen: 'Full screen',
} as const

export const wall = {
  offlineSince: 'Offline since {{at}}',
  kiosk: 'Wall alone, in full screen',
  leave: 'Leave',
  page: 'Page {{page}} of {{pages}}',
  pause: 'Stay on this page',
  turn: 'Turn pages',
  sleeps: 'This browser cannot keep the screen awake.',
  signsOut_one:
    'Signs out after {{count}} minute without a touch; with the account of a viewer it stays {{hours}} hours.',
  signsOut_other:
    'Signs out after {{count}} minutes without a touch; with the account of a viewer it stays {{hours}} hours.',
  staysFor_one: 'Stays signed in for {{count}} hour.',
  staysFor_other: 'Stays signed in for {{count}} hours.',
  inViolation: 'In violation',
  only: 'Only in violation',
  columns: 'Cameras in a row',
  violating_one: '{{count}} in violation',
  violating_other: '{{count}} in violation',
  calm: 'No camera is in violation',
  all: 'Show all cameras',
} as const
