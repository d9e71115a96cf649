import type { InboxFeed } from "./feed.ts";
import { askInbox, SILENCE_MS } from "./ask_inbox.ts";
import { parseImport } from "./parse_import.ts";
import { parseEnvelopePage, parsePage } from "./parse_rows.ts";
import { isZstd, readBody } from "./read_body.ts";
import type { ListQuery } from "../../../monitoring/models/rows.ts";
import { LiveState } from "./source_state.ts";
import type { ConsoleSource } from "./source.ts";

/** A source that can be given up. */
export interface HttpSource extends ConsoleSource {
  close(): void;
}

/**
 * The embedded inbox as the console reads it: lists and bytes by requests, what is new by the feed. Whatever comes over
 * the network is checked: rows that are none are left out.
 *
 * @param path of the inbox, `/monitoring/inbox`
 * @param feed of the same inbox; it is the source's from now on, and starts with its first subscriber
 * @param options.silenceMs milliseconds without a byte after which a request fails
 */
export function createHttpSource(
  path: string,
  feed: InboxFeed,
  { silenceMs = SILENCE_MS } = {},
): HttpSource {
  const live = new LiveState(feed.snapshot().state);
  let seen = feed.snapshot();
  let follow: (() => void) | undefined;

  const onFeed = () => {
    const now = feed.snapshot();
    // What was asked for while the inbox could not answer is asked for again once it can.
    const back = now.state === "live" && seen.state !== "live";
    const changed = now.rows !== seen.rows || now.total !== seen.total;
    seen = now;
    live.update(now.state, now.total, back || changed, now.canStore);
  };

  const ask = async (parameters: Readonly<Record<string, string>>): Promise<Response> => {
    const query = new URLSearchParams(parameters);
    const response = await askInbox(`${path}?${query}`, silenceMs);
    if (response.ok || response.status === 404) return response;
    throw new Error(await refusalOf(response));
  };

  return {
    scope: "inbox",
    snapshot: live.snapshot,
    subscribe(listener) {
      follow ??= feed.subscribe(onFeed);
      return live.subscribe(listener);
    },
    authorize: (token) => feed.authorize(token),
    clear: () => feed.clear(),
    async list(name, query) {
      return parsePage(name, await listOf(await ask({ view: name, ...parametersOf(query) })));
    },
    async envelopes(query) {
      const answer = await ask({ view: "envelopes", ...parametersOf(query) });
      return parseEnvelopePage(await listOf(answer));
    },
    async envelope(id) {
      const answer = await ask({ id: String(id) });
      if (answer.status === 404 || answer.body === null) return await nothing(answer);
      const bytes = await readBody(answer.body);
      if (isZstd(bytes)) {
        throw new Error(
          "This envelope came compressed by zstd, which this browser does not read: download it, and" +
            " decompress it with `zstd -d`.",
        );
      }
      return bytes;
    },
    async sourceMap(debugId) {
      const answer = await ask({ map: debugId });
      return answer.status === 404 ? await nothing(answer) : await answer.text();
    },
    download: (id) => `${path}?id=${id}`,
    exported: () => `${path}?export`,
    async importArchive(archive) {
      // No timeout: `fetch` does not report the progress of an upload.
      const answer = await fetch(`${path}?import`, { method: "POST", body: archive })
        .catch((cause) => {
          throw new Error("The inbox does not answer.", { cause });
        });
      // A broken archive is told with what came of it all the same.
      const result = parseImport(await answer.clone().json().catch(() => undefined));
      if (result === undefined) throw new Error(await refusalOf(answer));
      return result;
    },
    close() {
      follow?.();
      feed.close();
      live.close();
    },
  };
}

/** A query's attributes that are set, as the address carries them. */
function parametersOf(query: ListQuery): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, String(value)]),
  );
}

async function listOf(answer: Response): Promise<unknown> {
  // A server of an older build has no such list.
  if (answer.status === 404) throw new Error(await refusalOf(answer));
  return await answer.json();
}

/** Leaves the rest of an answer unread, so that its connection is free. */
async function nothing(answer: Response): Promise<undefined> {
  await answer.body?.cancel();
}

/** The server's own sentence, or the status where it gave none. */
async function refusalOf(answer: Response): Promise<string> {
  const { detail } = Object(await answer.json().catch(() => undefined)) as { detail?: unknown };
  return typeof detail === "string" ? detail : `The inbox answered ${answer.status}.`;
}
