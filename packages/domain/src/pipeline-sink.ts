/** What is kept of an event beside its numbers: `sink.*` of the catalogue. */
import { flag, integer, type PipelineItem } from './pipeline-item.ts'

/** How much of the past an edge server keeps of each camera, for clips to begin with. */
export const mostPreRollSeconds = 10

export const sinkElements: readonly PipelineItem[] = [
  flag('sink.clip', true, {
    en: 'Keep a clip of each violation beside its picture; where faces are recognised, of each that comes, off until it is wanted.',
    fr: 'Garder un clip de chaque violation en plus de son image ; là où des visages sont reconnus, de chaque visage qui vient, désactivé tant qu’on ne le veut pas.',
  }),
  integer(
    'sink.pre_s',
    { default: 5, min: 0, max: mostPreRollSeconds, unit: 's' },
    {
      en: 'How much of the time before a violation its clip shows, at least; it begins with a key frame.',
      fr: 'Durée minimale montrée avant la violation ; le clip commence par une image clé.',
    },
  ),
  integer(
    'sink.post_s',
    { default: 10, min: 1, max: 30, unit: 's' },
    {
      en: 'How long a clip goes on after the violation began. One that begins meanwhile makes it longer.',
      fr: 'Durée du clip après le début de la violation. Une autre qui commence entre-temps le prolonge.',
    },
  ),
]
