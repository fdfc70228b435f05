/** The parameters of the use cases themselves: `analytic.*` of the catalogue. */
import { protections } from './label.ts'
import { integer, number, type PipelineItem, text } from './pipeline-item.ts'

export const analyticElements: readonly PipelineItem[] = [
  integer(
    'analytic.window_s',
    { default: 5, min: 1, max: 60, unit: 's' },
    {
      en: 'Length of the window that one record sums up.',
      fr: 'Durée de la fenêtre que résume un enregistrement.',
    },
  ),
  integer(
    'analytic.cooldown_s',
    { default: 30, min: 0, max: 3600, unit: 's' },
    {
      en: 'The same situation within this time goes on under its id instead of being a new event.',
      fr: 'Dans ce délai, la même situation se poursuit sous son identifiant au lieu d’être un nouvel événement.',
    },
  ),
  number(
    'analytic.min_height',
    { default: 0, min: 0, max: 1 },
    {
      en: 'Smaller people are left out; share of the picture’s height.',
      fr: 'Les personnes plus petites sont écartées ; part de la hauteur de l’image.',
    },
  ),
  integer(
    'analytic.average_s',
    { default: 60, min: 5, max: 3600, unit: 's' },
    {
      en: 'Length of the sliding average.',
      fr: 'Durée de la moyenne glissante.',
    },
  ),
  integer(
    'analytic.base',
    { default: 0, min: 0, max: 10000 },
    {
      en: 'People inside when counting starts, and after each reset.',
      fr: 'Personnes à l’intérieur au début du comptage et après chaque remise à zéro.',
    },
  ),
  text('analytic.reset_at', '', {
    en: 'Time of day at which occupancy goes back to its base, as HH:mm; empty never.',
    fr: 'Heure à laquelle l’occupation revient à sa base, au format HH:mm ; vide : jamais.',
  }),
  text('analytic.timezone', 'UTC', {
    en: 'Time zone of the reset, for example America/Montreal.',
    fr: 'Fuseau horaire de la remise à zéro, par exemple America/Montreal.',
  }),
  integer(
    'analytic.hold_s',
    { default: 10, min: 1, max: 3600, unit: 's' },
    {
      en: 'How long it must last before it is an event.',
      fr: 'Durée minimale avant d’être un événement.',
    },
  ),
  text('analytic.labels', 'person', {
    en: 'What may not enter, by commas: person, vehicle, forklift. All but person need a model.',
    fr: 'Ce qui ne doit pas entrer, séparé par des virgules : person, vehicle, forklift. Hors person, il faut un modèle.',
  }),
  integer(
    'analytic.dwell_s',
    { default: 60, min: 1, max: 86400, unit: 's' },
    {
      en: 'How long somebody may stay in a zone before it is loitering.',
      fr: 'Durée de présence dans une zone à partir de laquelle elle est trop longue.',
    },
  ),
  number(
    'analytic.distance_m',
    { default: 2, min: 0.3, max: 20, unit: 'm' },
    {
      en: 'People nearer to each other than this are too close.',
      fr: 'En dessous de cette distance, les personnes sont trop proches.',
    },
  ),
  text('analytic.required_items', protections.join(','), {
    en: 'What must be worn, by commas: helmet, vest.',
    fr: 'Ce qui doit être porté, séparé par des virgules : helmet (casque), vest (gilet).',
  }),
  integer(
    'analytic.required_count',
    { default: 0, min: 0, max: protections.length },
    {
      en: 'How many of these are enough; 0 is all.',
      fr: 'Combien d’entre eux suffisent ; 0 : tous.',
    },
  ),
  integer(
    'analytic.min_votes',
    { default: 5, min: 1, max: 50 },
    {
      en: 'Pictures of one person that must agree by majority before it is said what is worn.',
      fr: 'Nombre d’images d’une personne dont la majorité décide de ce qui est porté.',
    },
  ),
  integer(
    'analytic.min_face_px',
    { default: 40, min: 8, max: 500, unit: 'px' },
    {
      en: 'Smaller faces are left out; height in the analysed picture.',
      fr: 'Les visages plus petits sont écartés ; hauteur dans l’image analysée.',
    },
  ),
  number(
    'analytic.threshold',
    { default: 0.4, min: 0.05, max: 0.99 },
    {
      en: 'Least likeness (cosine) to a face of the gallery. Higher mistakes fewer people for others and knows fewer.',
      fr: 'Ressemblance minimale (cosinus) avec un visage de la galerie. Plus haut confond moins et reconnaît moins.',
    },
  ),
  number(
    'analytic.margin',
    { default: 0.05, min: 0, max: 0.5 },
    {
      en: 'How much more a face must be like one person of the gallery than like the next.',
      fr: 'Avance de ressemblance qu’il faut sur la deuxième personne de la galerie.',
    },
  ),
  number(
    'analytic.ttc_s',
    { default: 1.5, min: 0.2, max: 10, unit: 's' },
    {
      en: 'A near miss is on course to collide within this time.',
      fr: 'Une quasi-collision est une trajectoire de collision à moins de ce délai.',
    },
  ),
  number(
    'analytic.gap_m',
    { default: 1, min: 0.1, max: 10, unit: 'm' },
    {
      en: 'A near miss comes as near as this.',
      fr: 'Une quasi-collision s’approche à moins de cette distance.',
    },
  ),
  number(
    'analytic.radius_person_m',
    { default: 0.3, min: 0.1, max: 2, unit: 'm' },
    { en: 'Room that a person takes: radius.', fr: 'Encombrement d’une personne : rayon.' },
  ),
  number(
    'analytic.radius_vehicle_m',
    { default: 1.2, min: 0.2, max: 10, unit: 'm' },
    { en: 'Room that a vehicle takes: radius.', fr: 'Encombrement d’un véhicule : rayon.' },
  ),
  number(
    'analytic.radius_forklift_m',
    { default: 0.9, min: 0.2, max: 10, unit: 'm' },
    { en: 'Room that a forklift takes: radius.', fr: 'Encombrement d’un chariot élévateur : rayon.' },
  ),
  number(
    'analytic.smoke_low',
    { default: 0.015, min: 0.001, max: 1 },
    {
      en: 'Share of the picture from which smoke counts as low.',
      fr: 'Part de l’image à partir de laquelle la fumée est faible.',
    },
  ),
  number(
    'analytic.smoke_intermediate',
    { default: 0.07, min: 0.001, max: 1 },
    {
      en: 'Share of the picture from which smoke counts as intermediate.',
      fr: 'Part de l’image à partir de laquelle la fumée est moyenne.',
    },
  ),
  number(
    'analytic.smoke_high',
    { default: 0.2, min: 0.001, max: 1 },
    {
      en: 'Share of the picture from which smoke counts as high.',
      fr: 'Part de l’image à partir de laquelle la fumée est forte.',
    },
  ),
]
