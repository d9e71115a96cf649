/** Used by an island, and by a chunk that the client loads later. */
export const KINDS = ["one", "two"];
