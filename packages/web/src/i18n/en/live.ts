export const live = {
  live: 'Live',
  connecting: 'Connecting',
  waiting: 'No picture',
  ended: 'Ended',
  noPicture: 'There is no picture',
  since: 'since {{at}}',
  retrying: 'Trying again by itself.',
  buffer: '{{seconds}} s behind',
  video: 'Video',
  instead: {
    unplayable: 'Still pictures: this browser cannot play the stream',
    privacy_masks: 'Privacy masks: pictures instead of video',
  },
  zones: 'Zones and lines',
  boxes: 'Boxes',
  fullscreen: 'Full screen',
} as const

export const wall = {
  inViolation: 'In violation',
  only: 'Only in violation',
  columns: 'Cameras in a row',
  violating_one: '{{count}} in violation',
  violating_other: '{{count}} in violation',
  calm: 'No camera is in violation',
  all: 'Show all cameras',
} as const
