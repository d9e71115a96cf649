/** Posts envelopes to the inbox like other senders, and texts of attackers. */
import { expect } from "@playwright/test";
import { envelopeOf, type TestItem } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { sentBy } from "../../../monitoring/inbox/testdata/tested_index.ts";

/** The inbox's own DSN. */
const DSN = "https://inbox@sightglass.invalid/1";

/** A script that leaves a trace if it is ever run. */
export const ATTACK = "globalThis.attacked = true";
/** Markup that runs {@linkcode ATTACK} if it is ever parsed as HTML. */
export const MARKUP = `<img src=x onerror="${ATTACK}"><script>${ATTACK}</script>`;

/**
 * Posts an envelope like an SDK outside of a browser; fails unless the server accepts it.
 *
 * @param header may have the `sender` of its items: release and environment
 */
export async function postEnvelope(
  origin: string,
  { sender, ...header }: Record<string, unknown>,
  ...items: readonly TestItem[]
): Promise<void> {
  const sent = items.map((item) => sentBy(item, sender));
  const body = envelopeOf({ dsn: DSN, ...header }, ...sent);
  const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
  expect(response.status, await response.text()).toBe(200);
}
