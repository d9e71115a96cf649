import type { InboxState } from "../data/inbox_state.ts";

/** Shown in place of what is read from the inbox, until it is read. */
export const INBOX_STATES: Readonly<Record<InboxState["state"], string>> = {
  connecting: "Connecting to the inbox.",
  live: "Loading the inbox.",
  offline: "The inbox does not respond. Retrying.",
  forbidden: "This browser may not read the inbox.",
};
