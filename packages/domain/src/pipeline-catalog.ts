/**
 * The elements a pipeline may set, with their defaults: one table for the forms, the portal's checks and the edge server.
 * An element is written `element.param`; a channel's pipeline is a flat map of them. Sources and zones are entities of
 * their own and have no elements here.
 */
import { analyticElements } from './pipeline-analytic.ts'
import { choice, flag, integer, number, type PipelineItem, text } from './pipeline-item.ts'
import { sinkElements } from './pipeline-sink.ts'

/** Every element, in the order of the pipeline: decode < motion < detector < tracker < calibration < zones < analytic < sink. */
export const pipelineCatalog: readonly PipelineItem[] = [
  number(
    'decode.fps',
    { default: 5, min: 0.5, max: 25, unit: 'fps' },
    {
      en: 'Pictures analysed per second.',
      fr: 'Images analysées par seconde.',
    },
  ),
  integer(
    'decode.width',
    { default: 640, min: 160, max: 1920, unit: 'px' },
    {
      en: 'Greatest width of the analysed picture; its shape is kept.',
      fr: 'Largeur maximale de l’image analysée ; ses proportions sont conservées.',
    },
  ),
  integer(
    'decode.height',
    { default: 480, min: 120, max: 1080, unit: 'px' },
    {
      en: 'Greatest height of the analysed picture; its shape is kept.',
      fr: 'Hauteur maximale de l’image analysée ; ses proportions sont conservées.',
    },
  ),
  flag('decode.on_demand', true, {
    en: 'While nothing moves, look at a picture now and then only; from the first movement on at all of them.',
    fr: 'Tant que rien ne bouge, ne regarder une image que de temps en temps ; dès le premier mouvement, toutes.',
  }),
  integer(
    'motion.width',
    { default: 320, min: 160, max: 640, unit: 'px' },
    {
      en: 'Width at which motion is looked for. 640 finds smaller people and costs four times as much.',
      fr: 'Largeur à laquelle le mouvement est recherché. 640 trouve des personnes plus petites et coûte quatre fois plus.',
    },
  ),
  integer(
    'motion.history',
    { default: 300, min: 50, max: 2000, unit: 'frames' },
    {
      en: 'Pictures the background remembers.',
      fr: 'Nombre d’images que l’arrière-plan garde en mémoire.',
    },
  ),
  number(
    'motion.var_threshold',
    { default: 25, min: 4, max: 100 },
    {
      en: 'How much a pixel must differ from the background to count as motion. Higher resists noise, lower finds low contrast.',
      fr: 'Écart au fond à partir duquel un pixel compte comme mouvement. Plus haut résiste au bruit, plus bas trouve les faibles contrastes.',
    },
  ),
  flag('motion.shadows', true, {
    en: 'Recognise shadows and leave them out.',
    fr: 'Reconnaître les ombres et les écarter.',
  }),
  number(
    'motion.min_area',
    { default: 0.0006, min: 0.0001, max: 0.2 },
    {
      en: 'Smallest moving area, as a share of the picture.',
      fr: 'Plus petite surface en mouvement, en part de l’image.',
    },
  ),
  integer(
    'motion.recheck_s',
    { default: 10, min: 1, max: 120, unit: 's' },
    {
      en: 'How often the detector looks again at somebody who stands still.',
      fr: 'Fréquence à laquelle le détecteur revérifie une personne immobile.',
    },
  ),
  choice('detector.kind', ['hog', 'onnx', 'motion'], {
    en: 'How people are found. By their shape (hog): upright, about 96 pixels and more, without a model. By a model (onnx): what yours knows. By movement (motion): everything that moves, people or not.',
    fr: 'Comment les personnes sont trouvées. Par la silhouette (hog) : debout, environ 96 pixels et plus, sans modèle. Par un modèle (onnx) : ce que le vôtre connaît. Par le mouvement (motion) : tout ce qui bouge, personnes ou non.',
  }),
  text('detector.model', '', {
    en: 'The uploaded model.',
    fr: 'Le modèle téléversé.',
  }),
  text('detector.embedding', '', {
    en: 'The uploaded model that makes a vector of a face.',
    fr: 'Le modèle téléversé qui fait d’un visage un vecteur.',
  }),
  choice('detector.head', ['auto', 'yolov8', 'yolov5', 'yolox', 'detr', 'end2end'], {
    en: 'How the model writes its answer.',
    fr: 'Comment le modèle écrit sa réponse.',
  }),
  text('detector.labels', '', {
    en: 'Which of the model’s labels are used, by commas; empty all.',
    fr: 'Étiquettes du modèle à utiliser, séparées par des virgules ; vide : toutes.',
  }),
  integer(
    'detector.input_size',
    { default: 0, min: 0, max: 1920, unit: 'px' },
    {
      en: 'Side of the picture given to the model; 0 is the model’s own.',
      fr: 'Côté de l’image donnée au modèle ; 0 : celui du modèle.',
    },
  ),
  integer(
    'detector.every_n',
    { default: 1, min: 1, max: 50 },
    {
      en: 'The model looks at one of so many analysed pictures.',
      fr: 'Le modèle regarde une image analysée sur ce nombre.',
    },
  ),
  flag('detector.flames', false, {
    en: 'Look for flames by colour and flicker, without a model. Experimental: no replacement for a fire detector.',
    fr: 'Rechercher les flammes par couleur et scintillement, sans modèle. Expérimental : ne remplace pas un détecteur d’incendie.',
  }),
  number(
    'detector.conf',
    { default: 0.56, min: 0.05, max: 0.99 },
    {
      en: 'Least score of a detection. For hog 0.5 plus 0.3 times the margin of the classifier.',
      fr: 'Score minimal d’une détection. Pour hog : 0,5 plus 0,3 fois la marge du classifieur.',
    },
  ),
  number(
    'detector.nms',
    { default: 0.4, min: 0.1, max: 0.9 },
    {
      en: 'Overlap from which two boxes are one object.',
      fr: 'Recouvrement à partir duquel deux cadres sont un seul objet.',
    },
  ),
  number(
    'detector.hog_scale',
    { default: 1.1, min: 1.03, max: 1.5 },
    {
      en: 'Step between the sizes searched. Smaller finds more and costs more.',
      fr: 'Pas entre les tailles recherchées. Plus petit trouve davantage et coûte davantage.',
    },
  ),
  integer(
    'detector.target_px',
    { default: 115, min: 96, max: 200, unit: 'px' },
    {
      en: 'Height to which a moving region is enlarged before the search.',
      fr: 'Hauteur à laquelle une zone en mouvement est agrandie avant la recherche.',
    },
  ),
  number(
    'tracker.iou',
    { default: 0.15, min: 0.05, max: 0.9 },
    {
      en: 'Least likeness of a detection and a track.',
      fr: 'Ressemblance minimale entre une détection et une piste.',
    },
  ),
  number(
    'tracker.dist_gate',
    { default: 0.9, min: 0, max: 3, unit: 'heights' },
    {
      en: 'How far somebody may move between two pictures, in body heights; 0 compares overlap only.',
      fr: 'Déplacement possible entre deux images, en hauteurs de corps ; 0 ne compare que le recouvrement.',
    },
  ),
  number(
    'tracker.max_lost_s',
    { default: 3, min: 0.2, max: 30, unit: 's' },
    {
      en: 'How long a person who is not seen is kept in mind.',
      fr: 'Durée pendant laquelle une personne qui n’est plus vue est gardée en mémoire.',
    },
  ),
  integer(
    'tracker.min_hits',
    { default: 2, min: 1, max: 20 },
    {
      en: 'Detections needed before somebody counts.',
      fr: 'Détections nécessaires avant qu’une personne compte.',
    },
  ),
  text('calibration.image_points', '', {
    en: 'Four points of the floor in the picture, 0 to 1 from the top left, as x,y x,y x,y x,y.',
    fr: 'Quatre points du sol dans l’image, de 0 à 1 depuis le coin supérieur gauche, sous la forme x,y x,y x,y x,y.',
  }),
  text('calibration.world_points_m', '', {
    en: 'Where the same four points are on the floor, in metres, in the same order, as x,y x,y x,y x,y.',
    fr: 'Où se trouvent ces quatre points sur le sol, en mètres, dans le même ordre, sous la forme x,y x,y x,y x,y.',
  }),
  number(
    'calibration.ref_height_m',
    { default: 0, min: 0, max: 2.5, unit: 'm' },
    {
      en: 'Without the four points: how tall people are on average; distances are then rough. 0: not used.',
      fr: 'Sans les quatre points : taille moyenne des personnes ; les distances sont alors approximatives. 0 : non utilisé.',
    },
  ),
  integer(
    'zones.enter_hits',
    { default: 3, min: 1, max: 50 },
    {
      en: 'Pictures somebody must be seen in a zone before being inside.',
      fr: 'Nombre d’images dans la zone avant que la personne soit considérée à l’intérieur.',
    },
  ),
  number(
    'zones.leave_s',
    { default: 1, min: 0, max: 30, unit: 's' },
    {
      en: 'Time outside a zone before somebody has left it.',
      fr: 'Temps hors de la zone avant que la personne en soit sortie.',
    },
  ),
  number(
    'zones.line_margin',
    { default: 0.03, min: 0, max: 0.5, unit: 'heights' },
    {
      en: 'How far past a line somebody must be, in body heights, before it counts as crossed.',
      fr: 'Distance au-delà d’une ligne, en hauteurs de corps, pour qu’elle compte comme franchie.',
    },
  ),
  number(
    'zones.min_dwell_s',
    { default: 1, min: 0, max: 600, unit: 's' },
    {
      en: 'Time inside a zone before it is an intrusion.',
      fr: 'Temps dans une zone avant qu’il s’agisse d’une intrusion.',
    },
  ),
  ...analyticElements,
  ...sinkElements,
]
