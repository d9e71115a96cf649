/** `deno task tail`: prints errors, logs and traces of a running server as they arrive. */
import { setTimeout } from "node:timers/promises";
import { loadConfig } from "../config/config.ts";
import { visibleJson } from "../monitoring/models/readable_json.ts";
import {
  type ApplicationList,
  OWN_APPLICATION,
  UNKNOWN_NAME,
} from "../monitoring/models/application_rows.ts";
import { TOOL } from "../monitoring/protocol/commands.ts";
import type { MetricRow } from "../monitoring/models/metric/metric_row.ts";
import type { InboxRow } from "../monitoring/protocol/inbox_row.ts";
import { SIGNALS } from "../server/serve.ts";
import {
  httpOrigin,
  type InboxAddress,
  originOf,
  readArguments,
  requestInbox,
  runTask,
  UnavailableError,
  UserError,
} from "./command_line.ts";
import { formatRow, KINDS, metricsLine, type TailRow, type View, VIEWS } from "./tail_rows.ts";

const USAGE = `${TOOL} tail [${VIEWS.join("|")}] [--json] [--all] [--url=http://HOST:PORT]`;

/** Bounds of the exponential backoff between attempts to connect again. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Of these the lists have no rows. */
const UNLISTED_TYPES =
  "replay_event replay_recording replay_video attachment session sessions client_report";

/** Traces, runs and profiles that are remembered. */
const MAX_PRINTED = 10_000;

interface TailOptions extends InboxAddress {
  readonly views: readonly View[];
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  /** Also print telemetry of Sightglass itself. */
  readonly all: boolean;
}

/** Without `--url` the server is the one that `PORT` and `HOST` configure. */
function readOptions(): TailOptions {
  const { values: { json, all, url }, positionals } = readArguments("tail", USAGE, {
    options: {
      json: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      url: { type: "string" },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !VIEWS.some((view) => view === name));
  if (unknown !== undefined) throw new UserError(`Cannot tail: "${unknown}". Use: ${USAGE}`);
  const variables = ["HOST", "PORT", "INBOX_TOKEN"].map((name) => [name, Deno.env.get(name)]);
  const { hostname, port, inboxToken } = loadConfig(Object.fromEntries(variables));
  const origin = httpOrigin(url ?? originOf({ hostname, port }));
  if (origin === undefined) {
    throw new UserError(`Cannot tail: --url is not an http or https address. Use: ${USAGE}`);
  }
  const views = VIEWS.filter((view) => positionals.length === 0 || positionals.includes(view));
  return { views, json, all, origin, token: inboxToken };
}

async function follow(options: TailOptions): Promise<never> {
  const { origin, views, all } = options;
  const printRows = rowPrinter(options);
  // No row is after the largest cursor: the response has only the inbox's cursor.
  const newest = await requestInbox("tail", options, `since=${Number.MAX_SAFE_INTEGER}&limit=1`);
  let { cursor } = await newest.json();
  console.error(`Following ${views.join(", ")} of ${origin}`);
  let isLost = false;
  for (let pause = FIRST_PAUSE_MS;; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      const headers = { Accept: "text/event-stream" };
      const stream = await requestInbox("tail", options, `since=${cursor}`, { headers });
      if (isLost) console.error("Connected again.");
      isLost = false;
      pause = FIRST_PAUSE_MS;
      for await (const { event, id, data } of readEvents(stream.body!)) {
        if (event === "envelope") {
          const row: InboxRow = JSON.parse(data!);
          if (all || row.application !== OWN_APPLICATION.key) await printRows(row);
        }
        if (event === "cleared") console.error("The inbox was emptied.");
        cursor = id ?? cursor;
      }
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
    if (!isLost) console.error(`The connection to ${origin} is lost. Waiting for the server.`);
    isLost = true;
    await setTimeout(pause);
  }
}

/**
 * Reads the fields of the inbox's server-sent events, which have one line each
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). `EventSource` cannot send a token.
 */
async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Partial<Record<string, string>>> {
  let text = "";
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        yield Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
      }
    }
  } catch (cause) {
    throw new UnavailableError("The connection broke off.", { cause });
  }
}

/** Returns a function that prints the rows of an envelope: of a trace and a run what is new. */
function rowPrinter(options: TailOptions): (envelope: InboxRow) => Promise<void> {
  const coloured = Deno.stdout.isTerminal() && !Deno.noColor;
  const names = new Map<string, string>();
  const printed = new Map<string, string | null>();

  const read = async (query: string) => {
    const response = await requestInbox("tail", options, query);
    return await response.json().catch((cause) => {
      throw new UnavailableError("The connection broke off.", { cause });
    });
  };
  /** The rows of one list, oldest first. */
  const readRows = async (view: View, query: string) => {
    const { list, kind } = KINDS[view];
    const rows: TailRow[] = [];
    for (let before = ""; before !== null;) {
      const page = await read(`view=${list}&${query}${before && `&before=${before}`}`);
      rows.push(...page.rows.map((row: object) => ({ ...row, kind })));
      before = page.next;
    }
    return rows.reverse();
  };
  /** A line for each application: a collector may send those of several at once. */
  const readMetrics = async (query: string) => {
    const rowsOf = async (query: string) =>
      await readRows("metrics", query) as unknown as readonly MetricRow[];
    const all = await rowsOf(query);
    const keys = [...new Set(all.flatMap(({ applications }) => applications))].sort();
    return keys.length < 2
      ? metricsLine(all)
      : (await Promise.all(keys.map((key) => rowsOf(`${query}&application=${key}`))))
        .flatMap(metricsLine);
  };
  const nameOf = async (row: TailRow) => {
    const key = row.kind === "trace" ? row.applications[0] : row.application;
    if (key && !names.has(key)) {
      const { rows }: ApplicationList = await read("view=applications");
      for (const { key, name } of rows) names.set(key, name);
    }
    return names.get(key ?? "") ?? UNKNOWN_NAME;
  };
  const isNews = (row: TailRow) => {
    if (row.kind === "trace" && row.spans === 0) return false;
    const [id, now = null] = row.kind === "trace"
      ? [row.trace_id, row.name]
      : row.kind === "run"
      ? [`${row.envelope} ${row.index}`, row.state]
      : row.kind === "profile" && row.of === "session"
      ? [row.profile_id, ""]
      : [];
    if (id === undefined) return true;
    if (printed.size > MAX_PRINTED) printed.clear();
    return printed.get(id) !== now && printed.set(id, now) !== undefined;
  };

  return async ({ id, items }) => {
    if (items.every(({ type }) => UNLISTED_TYPES.split(" ").includes(type))) return;
    // All is read before anything is printed: after a failure it is read again.
    const rows = (await Array.fromAsync(
      options.views,
      (view) =>
        view === "metrics" ? readMetrics(`envelope=${id}`) : readRows(view, `envelope=${id}`),
    )).flat();
    const named = await Array.fromAsync(rows, async (row) => ({ row, name: await nameOf(row) }));
    const lines = named.filter(({ row }) => isNews(row)).map(({ row, name }) =>
      options.json ? visibleJson(row) : formatRow(row, name, coloured)
    );
    // Throws `BrokenPipe` once the reader of the output has ended.
    const output = new Blob(lines.map((line) => `${line}\n`)).stream();
    await output.pipeTo(Deno.stdout.writable, { preventClose: true });
  };
}

for (const signal of SIGNALS) Deno.addSignalListener(signal, () => Deno.exit(0));

await runTask(() =>
  follow(readOptions()).catch((error) => {
    // The reader of the output has ended: `deno task tail | head -1`.
    if (error instanceof Deno.errors.BrokenPipe) return 0;
    throw error;
  })
);
