export const live = {
  live: 'Live',
  connecting: 'Connecting',
  waiting: 'No picture',
  ended: 'Ended',
  noPicture: 'There is no picture',
  since: 'since {{at}}',
  retrying: 'Trying again by itself.',
  buffer: '{{seconds}} s behind',
  mjpeg: 'Still pictures: this browser cannot play the stream',
  zones: 'Zones and lines',
  boxes: 'Boxes',
  fullscreen: 'Full screen',
} as const
