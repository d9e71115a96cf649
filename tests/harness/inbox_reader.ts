import type { InboxPage } from "../../monitoring/protocol/inbox_row.ts";
import { sendRaw } from "./send_raw.ts";

/** An envelope as received. */
export interface Received {
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
}

/** Largest page of the inbox. */
const MAX_PAGE = 500;

/**
 * Reads the inbox of a server over HTTP, with its `INBOX_TOKEN` if set.
 *
 * @returns reads the envelopes that arrived since its last call, oldest first
 */
export function inboxReader(origin: string, token?: string): () => Promise<readonly Received[]> {
  const headers = { Authorization: token === undefined ? undefined : `Bearer ${token}` };
  const get = async (query: string) => {
    const target = `/monitoring/inbox?${query}`;
    const answer = await sendRaw(Number(new URL(origin).port), "GET", target, headers);
    if (answer.status === 200) return answer;
    throw new Error(`GET ${target} was answered ${answer.status}: ${answer.text}`);
  };
  let cursor = 0;
  return async () => {
    const received: Received[] = [];
    let page: InboxPage;
    do {
      page = JSON.parse((await get(`limit=${MAX_PAGE}&since=${cursor}`)).text);
      for (const { id } of page.envelopes) {
        const { body, headers } = await get(`id=${id}`);
        received.push({ bytes: body, contentEncoding: headers.get("content-encoding") });
      }
      cursor = page.cursor;
      // Later envelopes are read by the next call, so that this one returns during a burst.
    } while (page.envelopes.length === MAX_PAGE);
    return received;
  };
}
