import { type Answers, inbox, type ViewQuery } from "./inbox.ts";
import { inboxState } from "./inbox_state.ts";
import { watchInbox } from "./inbox_stream.ts";
import * as notifications from "./notifications.ts";

/** In relay mode the views show what this page has sent: the ingest has the rest. */
export const isRelay: boolean = globalThis.document?.documentElement.dataset.variant === "relay";

/** Most pages are of an inbox and do not need this code. */
const sent = async () => (await import("./sent_envelopes.ts")).sentEnvelopes;

/** Connects all tabs again. */
let reconnect: ReturnType<typeof watchInbox> | undefined;

/** Keeps {@linkcode inboxState} up to date from now on. */
export function follow(): void {
  // What did not load is loaded again when it is read.
  if (isRelay) sent().catch(() => {});
  else reconnect ??= watchInbox(inbox, inboxState, document, notifications);
}

/** What a view has. Rejections have a message for display. */
export async function read<View extends keyof Answers>(
  view: View,
  query?: ViewQuery,
): Promise<Answers[View]> {
  return isRelay ? (await sent()).read(view, query) : inbox.read(view, query);
}

/** The address of an envelope's bytes; undefined: not stored (any more). */
export async function addressOf(id: number): Promise<string | undefined> {
  return isRelay ? (await sent()).address(id) : `${inbox.path}?id=${id}`;
}

/** Sends the inbox token, and connects all tabs; false: it is wrong. */
export async function authorize(token: string): Promise<boolean> {
  const isAccepted = await inbox.authorize(token);
  if (isAccepted) reconnect?.();
  return isAccepted;
}
