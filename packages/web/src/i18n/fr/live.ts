export const live = {
  live: 'En direct',
  connecting: 'Connexion',
  waiting: 'Pas d’image',
  ended: 'Terminé',
  noPicture: 'Il n’y a pas d’image',
  since: 'depuis {{at}}',
  retrying: 'Nouvel essai automatique.',
  buffer: '{{seconds}} s de retard',
  fps: '{{count}} i/s',
  video: 'Vidéo',
  instead: {
    unplayable: 'Images fixes : ce navigateur ne lit pas le flux',
    role_blurred: 'Flouté pour votre rôle : des images au lieu de la vidéo',
    privacy_masks: 'Masques de confidentialité : des images au lieu de la vidéo',
  },
  otherShape: 'Sans cadres : le flux analysé a une autre forme',
  zones: 'Zones et lignes',
  boxes: 'Cadres',
  fullscreen: 'Plein écran',
} as const

export const wall = {
  offlineSince: 'Hors ligne depuis {{at}}',
  kiosk: 'Mur seul, en plein écran',
  leave: 'Quitter',
  page: 'Page {{page}} sur {{pages}}',
  pause: 'Rester sur cette page',
  turn: 'Tourner les pages',
  sleeps: 'Ce navigateur ne peut pas garder l’écran éveillé.',
  signsOut_one:
    'Déconnexion après {{count}} minute sans y toucher ; avec un compte d’observateur, l’écran reste {{hours}} heures.',
  signsOut_other:
    'Déconnexion après {{count}} minutes sans y toucher ; avec un compte d’observateur, l’écran reste {{hours}} heures.',
  staysFor_one: 'Reste connecté pendant {{count}} heure.',
  staysFor_other: 'Reste connecté pendant {{count}} heures.',
  inViolation: 'En infraction',
  only: 'En infraction seulement',
  columns: 'Caméras par ligne',
  violating_one: '{{count}} en infraction',
  violating_other: '{{count}} en infraction',
  calm: 'Aucune caméra n’est en infraction',
  all: 'Toutes les caméras',
} as const
