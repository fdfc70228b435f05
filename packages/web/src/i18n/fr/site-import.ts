import type { Catalogue } from '../catalogue.ts'

export const siteImport: Catalogue['siteImport'] = {
  step: { rows: 'Sites', columns: 'Colonnes', review: 'Vérifier et créer' },
  rows: {
    title: 'Quels sites ?',
    hint: 'Collez-les d’un tableur, ou choisissez un fichier.',
    timezone: 'Fuseau horaire des lignes qui n’en nomment pas',
    paste: 'Lignes',
    pasteHint: 'Un site par ligne, avec ou sans ligne de titres en anglais ou en français',
  },
  columns: {
    hint_one: 'Quelle colonne contient quoi, pour {{count}} ligne',
    hint_other: 'Quelle colonne contient quoi, pour {{count}} lignes',
    needed: 'Le nom est nécessaire.',
  },
  column: {
    site_name: 'Nom',
    site_timezone: 'Fuseau horaire',
    site_street: 'Rue',
    site_zip: 'Code postal',
    site_city: 'Ville',
    site_state: 'État, région',
    site_country: 'Pays',
    lat: 'Latitude',
    long: 'Longitude',
  },
  fix: {
    title_one: '{{count}} ligne à corriger',
    title_other: '{{count}} lignes à corriger',
    hint: 'Les autres peuvent déjà être créées.',
    row: 'Ligne {{row}} · {{name}}',
  },
  review: 'Sites à créer',
  created_one: '{{count}} créé',
  created_other: '{{count}} créés',
  wrong_one: '{{count}} à corriger',
  wrong_other: '{{count}} à corriger',
  create_one: 'Créer {{count}} site',
  create_other: 'Créer {{count}} sites',
  toList: 'Vers les sites',
}
