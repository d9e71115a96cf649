/** Envelopes as other senders post them to the inbox, and what nobody should put into them. */
import { expect } from "@playwright/test";
import { envelopeOf, type TestItem } from "../../monitoring/inbox/testdata/envelopes.ts";

/** Of inbox mode; the relay takes no other. */
const DSN = "https://inbox@sightglass.invalid/1";

/** What a hostile text does if it is ever run as a script. */
export const ATTACK = "globalThis.attacked = true";
/** A hostile text that does it if it ever becomes markup. */
export const MARKUP = `<img src=x onerror="${ATTACK}"><script>${ATTACK}</script>`;

/** Posts an envelope to the server, as an SDK outside of a browser does; it must be taken. */
export async function postEnvelope(
  origin: string,
  header: Record<string, unknown>,
  ...items: readonly TestItem[]
): Promise<void> {
  const body = envelopeOf({ dsn: DSN, ...header }, ...items);
  const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
  expect(response.status, await response.text()).toBe(200);
}
