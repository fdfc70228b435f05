import type { Catalogue } from '../catalogue.ts'

export const customer: Catalogue['customer'] = {
  meta_one: '{{count}} client',
  meta_other: '{{count}} clients',
  name: 'Client',
  add: 'Ajouter un client',
  create: 'Créer le client',
  delete: 'Supprimer le client',
  deleteText: 'Le client disparaît pour de bon.',
  deleteBlocked: "Il a encore des sites ; supprimez-les ou déplacez-les d'abord.",
  filter: 'Filtrer les clients',
  empty: 'Pas encore de client',
  emptyText: 'Un client possède des sites. Pour vos propres sites, ajoutez-vous.',
  sites: 'Sites',
  cameras: 'Caméras',
  address: 'Adresse',
  default: 'Client par défaut',
  defaultHint: "Montré d'abord à tous ceux qui n'en ont pas choisi un autre",
}

export const address: Catalogue['address'] = {
  unit: 'Bâtiment, unité',
  street: 'Rue',
  area: 'Quartier',
  city: 'Ville',
  state: 'État, région',
  zip: 'Code postal',
  country: 'Pays',
}
