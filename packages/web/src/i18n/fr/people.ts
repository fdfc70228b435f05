import type { Catalogue } from '../catalogue.ts'

export const people: Catalogue['people'] = {
  person: 'Attribuer à',
  assign: 'Attribuer',
  take: 'Retirer',
  takeFrom: 'Retirer à {{name}}',
  more: 'Plus de personnes',
  status: { invited: 'Invitée', disabled: 'Désactivée', locked: 'Bloquée' },
}
