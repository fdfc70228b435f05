import type { Catalogue } from '../catalogue.ts'

export const clarity: Catalogue['clarity'] = {
  blurred: 'Les images sont floutées pour votre rôle',
  clearUntil: 'Les images sont nettes jusqu’à {{at}}',
  ask: 'Si vous devez reconnaître quelqu’un, demandez à votre administrateur.',
  why: 'Vous pouvez voir les images et les clips nettement pendant {{minutes}} minutes. Votre nom, l’heure et le motif sont inscrits au journal des traces.',
  reason: 'Motif',
  example: 'Vol signalé à l’entrée, dossier 2231',
  unblur: 'Voir nettement pendant {{minutes}} minutes',
  again: 'Votre nom et le motif ont été inscrits au journal des traces.',
  blur: 'Flouter à nouveau',
}

export const privilege: Catalogue['privilege'] = {
  meta: 'Ce que voient les personnes d’un rôle, dans toutes les organisations',
  pictures: 'Images des caméras',
  hint: 'Vaut pour le direct, les images fixes, les images d’événements et les clips. Comptages et graphiques restent les mêmes pour tous.',
  people_one: '{{count}} personne',
  people_other: '{{count}} personnes',
  of: 'Images pour {{role}}',
  way: { clear: 'Nettes', reason: 'Sur motif', blurred: 'Floutées' },
  means: {
    clear: 'Voit les images telles quelles.',
    reason:
      'Les voit floutées, et nettement pendant 15 minutes après avoir donné un motif, inscrit au journal des traces.',
    blurred: 'Les voit floutées, sans vidéo ni clips.',
  },
  touches_one: 'Concerne {{number}} personne, aussitôt',
  touches_other: 'Concerne {{number}} personnes, aussitôt',
  save: 'Enregistrer les privilèges',
}
