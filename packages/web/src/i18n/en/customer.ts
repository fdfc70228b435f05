export const customer = {
  meta_one: '{{count}} customer',
  meta_other: '{{count}} customers',
  name: 'Customer',
  add: 'Add customer',
  create: 'Create customer',
  delete: 'Delete customer',
  deleteText: 'The customer goes for good.',
  deleteBlocked: 'It still has sites; delete or move them first.',
  filter: 'Filter customers',
  empty: 'No customers yet',
  emptyText: 'A customer owns sites. For your own sites, add yourself.',
  sites: 'Sites',
  cameras: 'Cameras',
  address: 'Address',
  default: 'Default customer',
  defaultHint: 'Shown first to everyone who has not chosen another',
} as const

export const address = {
  unit: 'Building, unit',
  street: 'Street',
  area: 'District',
  city: 'City',
  state: 'State, region',
  zip: 'Zip code',
  country: 'Country',
} as const
