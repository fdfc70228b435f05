export const elements = {
  group: {
    analytic: 'Ce qui compte',
    zones: 'Entrer et sortir des zones',
    calibration: 'Distances',
    detector: 'Détection',
    decode: 'Images',
    motion: 'Mouvement',
    tracker: 'Suivi',
    sink: 'Clips des infractions',
  },
  changed_one: '{{count}} modifié',
  changed_other: '{{count}} modifiés',
  range: '{{min}} à {{max}}',
  hot: 'sans redémarrage',
  restarts: 'redémarre l’analyse',
  reset: 'Revenir à {{value}}',
  noModel: 'Aucun modèle',
  noModels: 'Aucun modèle n’a encore été ajouté.',
  addModel: 'Ajouter un modèle',
} as const

export const bundle = {
  meta: 'Valeurs de départ de chaque cas d’usage attaché à une caméra. Les analyses en marche restent telles quelles.',
  readOnly: 'Valeurs de départ de chaque cas d’usage attaché à une caméra. Les super administrateurs les modifient.',
  usecases: 'Cas d’usage',
  own: 'De votre organisation',
  factory: 'D’usine',
  view: 'Affichage',
  form: 'Formulaire',
  document: 'Valeurs par défaut en JSON',
  toFactory: 'Revenir à l’usine',
  save: 'Enregistrer',
} as const
