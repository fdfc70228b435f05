export const clarity = {
  blurred: 'Pictures are blurred for your role',
  clearUntil: 'Pictures are clear until {{at}}',
  ask: 'If you need to see somebody clearly, ask your administrator.',
  why: 'You can see pictures and clips clearly for {{minutes}} minutes. Your name, the time and the reason are written to the trace log.',
  reason: 'Reason',
  example: 'Theft reported at the entrance, case 2231',
  unblur: 'See clearly for {{minutes}} minutes',
  again: 'Your name and the reason were written to the trace log.',
  blur: 'Blur again',
} as const

export const privilege = {
  meta: 'What people of a role see, in every organization',
  pictures: 'Pictures of cameras',
  hint: 'Holds for live pictures, stills, pictures of events and clips. Counts and charts stay the same for everybody.',
  people_one: '{{count}} person',
  people_other: '{{count}} people',
  of: 'Pictures for {{role}}',
  way: { clear: 'Clear', reason: 'For a reason', blurred: 'Blurred' },
  means: {
    clear: 'Sees pictures as they are.',
    reason: 'Sees them blurred, and clearly for 15 minutes after giving a reason, which is written to the trace log.',
    blurred: 'Sees them blurred, and no video or clips.',
  },
  touches_one: 'Concerns {{number}} person, at once',
  touches_other: 'Concerns {{number}} people, at once',
  save: 'Save privileges',
} as const
