/** Servers that share an inbox in a private PostgreSQL, for the tests of the importing file. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { until } from "../../../tests/harness/until.ts";
import { parsePostgresUrl } from "../../storage/postgres_address.ts";
import {
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "../../storage/testdata/private_postgres.ts";
import type { Inbox } from "../inbox.ts";
import { openPostgresInbox, type PostgresInboxOptions } from "../postgres_inbox.ts";
import { admitted, eventEnvelope } from "./envelopes.ts";
import { all, ids } from "./inbox_suite.ts";

/** Set before the first test. */
export let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
export const ignore = startPostgresBeforeAll(async (started) => {
  postgres = started;
  await (await open()).close();
});

/** Opens an inbox; a notice fails the test. */
export const open = (options: Partial<PostgresInboxOptions> = {}) =>
  openPostgresInbox({
    address: parsePostgresUrl(postgres.url())!,
    maxBytes: 1_000_000,
    onNotice: (notice) => {
      throw new Error(`unexpected notice: ${notice}`);
    },
    ...options,
  });

/** Replaces the log by an empty one, whose ids begin with `first`. */
export async function start(first = 1): Promise<void> {
  await postgres.admin(
    "TRUNCATE sightglass.inbox_log; UPDATE sightglass.inbox_state" +
      ` SET log = gen_random_uuid()::text, last = ${first - 1}, floor = ${first}, bytes = 0`,
    "spool",
  );
}

/** Opens an inbox, as each of several servers does. */
type OpenServer = (options?: Partial<PostgresInboxOptions>) => Promise<Inbox>;

/** Runs a test with an empty database and a path for a replica. */
export function withServers(work: (server: OpenServer, path: string) => Promise<void>) {
  return async () => {
    await start();
    const folder = await Deno.makeTempDir({ prefix: "inbox-" });
    const opened: Inbox[] = [];
    try {
      await work(async (options) => {
        const inbox = await open(options);
        opened.push(inbox);
        return inbox;
      }, join(folder, "inbox_replica.sqlite"));
    } finally {
      for (const inbox of opened) await inbox.close();
      await Deno.remove(folder, { recursive: true });
    }
  };
}

/** What a server shows, apart from counters. */
function content(inbox: Inbox): unknown {
  const { cursor, cleared, envelopes } = all(inbox);
  // Their charts end at a time that the query names.
  const groups = inbox.page("errors", { now: 0 });
  const bodies = ids(inbox).map((id) => inbox.bytes(id));
  return { cursor, cleared, envelopes, groups, bodies, logs: inbox.page("logs", {}) };
}

/** Waits until all servers show the same: a regression is logged after its envelope was stored. */
export const agree = (inboxes: readonly Inbox[]) =>
  until("the servers agree", async () => {
    await Promise.all(inboxes.map((inbox) => inbox.catchUp(Infinity)));
    const [first, ...others] = inboxes.map(content);
    return others.every((other) => isDeepStrictEqual(other, first));
  });

export const store = (inbox: Inbox, n: number) => inbox.store(admitted(eventEnvelope(n)));
