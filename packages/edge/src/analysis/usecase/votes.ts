/** What pictures said about something, newest last: each picture one vote. */
export type Votes = readonly boolean[]

export const noVotes: Votes = []

/** So many times the votes needed are remembered, so that who puts a helmet on is believed soon. */
const remembered = 2

export const withVote = (votes: Votes, vote: boolean, needed: number): Votes =>
  [...votes, vote].slice(-needed * remembered)

/** What more than half of the votes say; null while there are too few, and in a draw. */
export function verdict(votes: Votes, needed: number): boolean | null {
  if (votes.length < needed) return null
  const yes = votes.filter((vote) => vote).length
  return yes * 2 === votes.length ? null : yes * 2 > votes.length
}
