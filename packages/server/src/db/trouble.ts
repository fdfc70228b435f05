/** The database cannot be had. The message is one sentence for the person who starts the portal, with the way out. */
export class DatabaseTrouble extends Error {}
