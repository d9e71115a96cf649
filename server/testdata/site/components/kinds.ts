/** Used by an island, and by the client later. */
export const KINDS = ["one", "two"];
