export const people = {
  person: 'Give it to',
  assign: 'Assign',
  take: 'Take away',
  takeFrom: 'Take it from {{name}}',
  more: 'More people',
  status: { invited: 'Invited', disabled: 'Disabled', locked: 'Locked' },
} as const
