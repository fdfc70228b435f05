import type { Catalogue } from '../catalogue.ts'

export const common: Catalogue['common'] = {
  add: 'Ajouter',
  save: 'Enregistrer',
  cancel: 'Annuler',
  delete: 'Supprimer',
  edit: 'Modifier',
  open: 'Ouvrir',
  close: 'Fermer',
  back: 'Retour',
  next: 'Suivant',
  continue: 'Continuer',
  skip: 'Passer',
  finish: 'Terminer',
  retry: 'Réessayer',
  refresh: 'Actualiser',
  copy: 'Copier',
  copied: 'Copié',
  search: 'Rechercher',
  actions: 'Actions',
  actionsFor: 'Actions pour {{name}}',
  clearFilters: 'Effacer les filtres',
  nothingMatches: 'Aucun résultat',
  nothingMatchesHint: 'Aucune ligne ne correspond au filtre.',
  optional: 'facultatif',
  pair: '{{name}} : {{text}}',
  yes: 'Oui',
  no: 'Non',
  none: 'Aucun',
  unknown: 'Inconnu',
  loading: 'Chargement',
  updated: 'Actualisé à {{time}}',
  stale: 'Plus à jour depuis {{time}}',
  previous: 'Page précédente',
  nextPage: 'Page suivante',
  page: 'Page {{page}}',
  rows: '{{from}}–{{to}} sur {{total}}',
  sortAscending: 'tri croissant',
  sortDescending: 'tri décroissant',
  watched: { h1: 'observé {{time}} sur la dernière heure', h24: 'observé {{time}} sur 24 h' },
  clock: { label: 'Heures selon l’horloge', site: 'Du site', mine: 'La mienne', utc: 'UTC' },
  diff: { added: 'ajouté : ', removed: 'retiré : ' },
  selectLoaded_one: 'Choisir la {{count}} ligne affichée',
  selectLoaded_other: 'Choisir les {{count}} lignes affichées',
  selectedLoaded_one: '{{count}} ligne est choisie ; la liste continue, et la suite n’est pas choisie.',
  selectedLoaded_other: 'Ces {{count}} lignes sont choisies ; la liste continue, et la suite n’est pas choisie.',
  loadMore: 'Afficher la suite',
  selectAll: 'Tout choisir',
  selectRow: 'Choisir {{name}}',
  name: 'Nom',
  description: 'Description',
  state: 'État',
  language: 'Langue',
  en: 'English',
  fr: 'Français',
  never: 'Jamais',
  default: 'Par défaut',
  seconds_one: '{{count}} seconde',
  seconds_other: '{{count}} secondes',
}

export const health: Catalogue['health'] = {
  healthy: 'En bon état',
  'needs attention': 'À surveiller',
  analytics_one: '{{count}} analyse à surveiller',
  analytics_other: '{{count}} analyses à surveiller',
  offline: 'Hors ligne',
  unknown: 'Inconnu',
  starting: 'Démarrage',
  noCameras: 'Aucune caméra',
}

export const empty: Catalogue['empty'] = {
  customer: 'Il n’y a pas encore de client.',
  organization: 'Il n’y a pas d’organisation.',
  mapping: 'Aucun flux n’est encore associé.',
  askAdmin: 'Demandez à un administrateur de le faire.',
}

export const state: Catalogue['state'] = {
  errorTitle: 'Ceci n’a pas pu être chargé',
  noAccess: 'Vous n’avez pas accès à cet écran',
  noAccessHint: 'Un administrateur de votre organisation peut l’accorder.',
  noAccessBack: 'Revenir',
  draftRestored: 'Votre saisie précédente est de retour.',
  draftDiscard: 'L’abandonner',
  unsavedTitle: 'Quitter sans enregistrer ?',
  unsavedText: 'Vos modifications ne sont pas encore enregistrées.',
  unsavedLeave: 'Quitter',
  unsavedStay: 'Rester',
  lostSecrets: 'les mots de passe, clés de licence et noms de personnes',
  lostLarge: 'les lignes, trop nombreuses pour être gardées dans l’onglet',
  behindTitle: 'Modifié entre-temps',
  behindText:
    'Quelqu’un d’autre a enregistré des modifications pendant que vous travailliez. Rien de votre saisie n’est perdu : prenez sa version, ou gardez la vôtre par-dessus, puis enregistrez.',
  behindTheirs: 'Prendre sa version',
  behindMine: 'Garder la mienne par-dessus',
  typeToConfirm: 'Saisissez {{name}} pour confirmer',
}

export const errorPage: Catalogue['errorPage'] = {
  title500: 'Oups -- Quelque chose s’est mal passé !!',
  title404: 'Oups, 404 La page que vous cherchez n’existe pas',
  title400: 'Oh -- Mauvaise requête !!',
  text500: 'Quelque chose s’est mal passé',
  text404: 'La page n’existe pas',
  text400: 'Mauvaise requête',
  incomplete: 'Cette adresse est incomplète : elle ne dit pas quoi afficher',
  code: 'Code d’état',
  trace: 'Identifiant de trace',
  out: 'Sortez-moi d’ici !',
  support: 'Obtenir de l’aide',
}

export const wizard: Catalogue['wizard'] = {
  position: 'Étape {{step}} sur {{total}}',
  done: 'terminée',
}

export const image: Catalogue['image'] = {
  webcam: 'Prendre une photo',
  take: 'Prendre',
  webcamFault: {
    refused: 'Le navigateur n’a pas accès à l’appareil photo. Autorisez-le dans les réglages de cette page.',
    missing: 'Aucun appareil photo n’a été trouvé.',
  },
  drop: 'Déposez une image ici ou choisissez-la : JPEG, PNG ou WebP. Les grandes photos sont réduites.',
  remove: 'Retirer l’image',
}

export const role: Catalogue['role'] = {
  super_admin: 'Super administrateur',
  admin: 'Administrateur',
  user: 'Utilisateur',
  super_viewer: 'Super observateur',
  viewer: 'Observateur',
}
