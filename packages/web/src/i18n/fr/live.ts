export const live = {
  live: 'En direct',
  connecting: 'Connexion',
  waiting: "Pas d'image",
  ended: 'Terminé',
  noPicture: "Il n'y a pas d'image",
  since: 'depuis {{at}}',
  retrying: 'Nouvel essai automatique.',
  buffer: '{{seconds}} s de retard',
  mjpeg: 'Images fixes : ce navigateur ne lit pas le flux',
  zones: 'Zones et lignes',
  boxes: 'Cadres',
  fullscreen: 'Plein écran',
} as const
