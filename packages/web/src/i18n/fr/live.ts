export const live = {
  live: 'En direct',
  connecting: 'Connexion',
  waiting: "Pas d'image",
  ended: 'Terminé',
  noPicture: "Il n'y a pas d'image",
  since: 'depuis {{at}}',
  retrying: 'Nouvel essai automatique.',
  buffer: '{{seconds}} s de retard',
  video: 'Vidéo',
  instead: {
    unplayable: 'Images fixes : ce navigateur ne lit pas le flux',
    privacy_masks: 'Masques de confidentialité : des images au lieu de la vidéo',
  },
  zones: 'Zones et lignes',
  boxes: 'Cadres',
  fullscreen: 'Plein écran',
} as const

export const wall = {
  inViolation: 'En infraction',
  only: 'En infraction seulement',
  columns: 'Caméras par ligne',
  violating_one: '{{count}} en infraction',
  violating_other: '{{count}} en infraction',
  calm: 'Aucune caméra n’est en infraction',
  all: 'Toutes les caméras',
} as const
