import { test as base } from "@playwright/test";
import { CHROMIUM_ARGS, requireChromium } from "../../../tools/find_chromium.ts";
import { type ServerProcess, startServer } from "../server_process.ts";
import { type StandInIngest, startStandInIngest } from "../stand_in_ingest.ts";
import { type Arrivals, arrivalsAtIngest, arrivalsInInbox } from "./arrivals.ts";
import type { Sender } from "./arrived_telemetry.ts";
import { PageWatch } from "./page_watch.ts";
import { SentRequests } from "./requests.ts";

export { expect } from "@playwright/test";
export * from "./arrivals.ts";
export * from "./arrived_telemetry.ts";

/** The key in the DSNs of relay mode. */
const DSN_KEY = "0123456789abcdef0123456789abcdef";

/** Options of a test or a file, set by `test.use({ … })`. */
export interface Options {
  /** Default `inbox`. */
  mode: "inbox" | "relay";
  /**
   * In relay mode, the host in the DSN. For a hosted one the stand-in is the `RELAY_UPSTREAM`; a
   * self-hosted one is the stand-in itself. Default: `o1.ingest.sentry.io`.
   */
  ingestHost: "o1.ingest.sentry.io" | "o1.ingest.us.sentry.io" | "self-hosted";
  /** Whether the lists have the rows of Sightglass itself, as after a test signal, while there are no others. */
  listsOwnRows: boolean;
  /** Environment variables of the server. They override those of `mode` and `ingestHost`. */
  serverEnv: Record<string, string>;
}

/** Arguments of a test, in addition to Playwright's own. */
export interface Fixtures {
  /** The stand-in for Sentry's ingest. In inbox mode it receives nothing. */
  ingest: StandInIngest;
  /** The real server, in its own process, with an empty data folder. */
  server: ServerProcess;
  /** The page's envelopes that arrived: at the stand-in ingest in relay mode, in the inbox in inbox mode. */
  arrivals: Arrivals;
  /** The server's own envelopes that arrived, in the same place. */
  serverArrivals: Arrivals;
  /** All requests of all pages of the test, with their bytes. */
  sent: SentRequests;
  /** Fails the test for console errors, uncaught errors and CSP violations that are not allowed. */
  watch: PageWatch;
}

/** No optimizing compilers and helper threads of V8: in pages that live for seconds they cost more than they save. */
const V8_FLAGS = "--js-flags=--no-opt,--no-maglev,--single-threaded-gc,--no-flush-bytecode";

interface WorkerFixtures {
  chromium: string;
}

/**
 * Playwright's `test` with a server and access to everything that pages send. `page.goto("/")` opens this
 * test's server. Pages of `context.newPage()` are watched and recorded too, those of
 * `browser.newContext()` are not.
 */
export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  mode: ["inbox", { option: true }],
  ingestHost: ["o1.ingest.sentry.io", { option: true }],
  serverEnv: [{}, { option: true }],
  listsOwnRows: [true, { option: true }],

  chromium: [async ({ browserName }, provide) => {
    if (browserName !== "chromium") {
      throw new Error(`The tests are for Chromium, not ${browserName}.`);
    }
    await provide(await requireChromium());
  }, { scope: "worker" }],

  launchOptions: [async ({ chromium }, provide) => {
    await provide({ executablePath: chromium, args: [...CHROMIUM_ARGS, V8_FLAGS] });
  }, { scope: "worker" }],

  ingest: async ({ mode: _mode }, provide) => {
    await using ingest = startStandInIngest();
    await provide(ingest);
  },

  server: async ({ mode, ingestHost, serverEnv, ingest }, provide, testInfo) => {
    const relaying = mode === "relay" ? relayEnv(ingestHost, ingest) : {};
    const server = await startServer({ env: { ...relaying, ...serverEnv } });
    try {
      await provide(server);
      if (testInfo.status !== testInfo.expectedStatus) {
        // Its outcomes show whether an envelope was sent again.
        const health = fetch(`${server.origin}/monitoring`, { signal: AbortSignal.timeout(5_000) });
        console.log(await health.then((answer) => answer.text()).catch(String));
      }
    } finally {
      // Saves the time of a graceful stop, which other tests check.
      await server.stop("SIGKILL");
    }
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach("server output", { body: server.output(), contentType: "text/plain" });
      console.log(`Output of the server:\n${server.output() || "nothing"}`);
    }
  },

  arrivals: arrivalsFrom("page"),
  serverArrivals: arrivalsFrom("server"),

  baseURL: async ({ server }, provide) => {
    await provide(server.origin);
  },

  watch: async ({ context }, provide) => {
    const watch = new PageWatch(context);
    await provide(watch);
    watch.verify();
  },

  sent: async ({ context }, provide) => {
    await provide(new SentRequests(context));
  },

  // Watches and records each page from its first request on.
  context: async ({ listsOwnRows, context }, provide) => {
    if (listsOwnRows) {
      await context.addInitScript(() => {
        try {
          localStorage.setItem("sightglass.own", "listed");
        } catch {
          // A frame or a test without storage.
        }
      });
    }
    await provide(context);
  },

  page: async ({ watch: _watch, sent: _sent, page, context }, provide) => {
    await provide(page);
    // Requests that a route of the test has not completed must not fail the test now.
    for (const routed of [context, ...context.pages()]) {
      await routed.unrouteAll({ behavior: "ignoreErrors" }).catch(() => {
        // A page that the test has killed.
      });
    }
  },
});

/** Provides the envelopes of one sender. */
function arrivalsFrom(sender: Sender) {
  return async (
    { mode, ingest, server, serverEnv }: Options & Fixtures,
    provide: (arrivals: Arrivals) => Promise<void>,
  ) =>
    await provide(
      mode === "relay"
        ? arrivalsAtIngest(ingest, sender)
        : arrivalsInInbox(server.origin, sender, serverEnv.INBOX_TOKEN),
    );
}

/** A server of the test's own process, in the place of the real one. */
export function inThisProcess(server: Deno.HttpServer<Deno.NetAddr>): ServerProcess {
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    port: server.addr.port,
    pid: Deno.pid,
    dataDir: "",
    output: () => "",
    stop: async () => {
      await server.shutdown();
      return { success: true, code: 0, signal: null };
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The variables of relay mode. */
function relayEnv(host: Options["ingestHost"], ingest: StandInIngest): Record<string, string> {
  // An envelope that times out is spooled and sent again: it would arrive twice on a busy machine.
  const patient = { RELAY_TIMEOUT_MS: "120000" };
  if (host === "self-hosted") {
    return { ...patient, SENTRY_DSN: `http://${DSN_KEY}@${ingest.host}/1` };
  }
  return { ...patient, SENTRY_DSN: `https://${DSN_KEY}@${host}/1`, RELAY_UPSTREAM: ingest.origin };
}
