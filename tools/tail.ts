/**
 * `deno task tail`: prints errors, logs and traces of a running server, one line each as they arrive.
 *
 * Exit code: 0: stopped by a signal, or the reader of the output has ended; 1: it cannot be started or continued.
 */
import { setTimeout } from "node:timers/promises";
import { loadConfig } from "../config/config.ts";
import { indexBody } from "../monitoring/models/index/index_entries.ts";
import { parseBody } from "../monitoring/models/parse_body.ts";
import type { ParsedEnvelope } from "../monitoring/models/parsed_envelope.ts";
import { visibleJson } from "../monitoring/models/readable_json.ts";
import { OWN_APPLICATION } from "../monitoring/models/rows.ts";
import { decodeBody, DecodeError, parseContentEncoding } from "../monitoring/protocol/encoding.ts";
import { contentTypeOf, FORMATS, signalOf } from "../monitoring/protocol/format.ts";
import type { InboxRow } from "../monitoring/protocol/inbox_row.ts";
import { MAX_READ_BYTES, readBody } from "../monitoring/protocol/read_body.ts";
import {
  httpOrigin,
  type InboxAddress,
  readArguments,
  requestInbox,
  runTask,
  UnavailableError,
  UserError,
} from "./command_line.ts";
import { formatRow, rowsOf, type View, VIEWS } from "./tail_rows.ts";

const USAGE = `deno task tail [${VIEWS.join("|")}] [--json] [--all] [--url=http://HOST:PORT]`;

/** Bounds of the exponential backoff between attempts to connect again. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Item types that each view reads. Other envelopes, such as recordings, are not fetched. */
const READ_TYPES: Readonly<Record<View, readonly string[]>> = {
  errors: ["event", "raw_security"],
  logs: ["log"],
  traces: ["transaction", "span"],
};

/** Encodings that `fetch` decodes. */
const DECODED_BY_FETCH: readonly (string | null)[] = [null, "gzip", "br"];

/** Which rows to print, and of which server. */
interface TailOptions extends InboxAddress {
  readonly views: readonly View[];
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  /** Also print telemetry of Sightglass itself. */
  readonly all: boolean;
}

/** Reads the command line. Without `--url` the server is the one that `PORT` and `HOST` configure. */
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
  // A server that listens on all interfaces is reached on loopback, whose peers may read its inbox.
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[hostname] ?? hostname;
  const origin = httpOrigin(url ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  if (origin === undefined) {
    throw new UserError(`Cannot tail: --url is not an http or https address. Use: ${USAGE}`);
  }
  const views = VIEWS.filter((view) => positionals.length === 0 || positionals.includes(view));
  return { views, json, all, origin, token: inboxToken };
}

/** Prints rows as they arrive, also after a restart of the server. Ends only by an error. */
async function follow(options: TailOptions): Promise<never> {
  const { origin, views, all } = options;
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
          if (all || row.application !== OWN_APPLICATION.key) await printEnvelope(options, row);
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
 *
 * @throws {UnavailableError} the connection broke off
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

async function printEnvelope(options: TailOptions, row: InboxRow): Promise<void> {
  const types = options.views.flatMap((view) => READ_TYPES[view]);
  if (!row.items.some(({ type }) => types.includes(type))) return;
  const body = await readStored(options, row);
  if (body === undefined) return;
  const { resources } = indexBody(body, row.received_at);
  const coloured = Deno.stdout.isTerminal() && !Deno.noColor;
  for (const entry of resources.flatMap((one) => rowsOf(one, options.views))) {
    const line = options.json
      ? visibleJson({ ...entry, envelope: row.id, received_at: row.received_at })
      : formatRow(entry, coloured);
    await print(`${line}\n`);
  }
}

/** What an envelope or a request has; undefined if it is not stored any more or cannot be read. */
async function readStored(
  options: TailOptions,
  { id, items, content_encoding }: InboxRow,
): Promise<readonly ParsedEnvelope[] | undefined> {
  try {
    const response = await requestInbox("tail", options, `id=${id}`);
    const type = response.headers.get("Content-Type");
    const signal = items.some(({ type }) => type === "span") ? "traces" : "logs";
    const format = FORMATS.find((one) =>
      contentTypeOf(one) === type && [undefined, signal].includes(signalOf(one))
    ) ?? "envelope";
    const sent = await readBody(response.body!);
    const bytes = DECODED_BY_FETCH.includes(content_encoding)
      ? sent
      : await decodeBody(sent, parseContentEncoding(content_encoding), MAX_READ_BYTES);
    return parseBody(bytes, format);
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    // It was deleted meanwhile. What else is refused, the stream of rows is, too.
    if (error instanceof UserError) return undefined;
    if (error instanceof RangeError || error instanceof DecodeError) {
      return void console.error(`Cannot read envelope ${id}: ${error.message}`);
    }
    throw new UnavailableError("The connection broke off.", { cause: error });
  }
}

/** @throws {Deno.errors.BrokenPipe} the reader of the output has ended */
async function print(text: string): Promise<void> {
  await new Blob([text]).stream().pipeTo(Deno.stdout.writable, { preventClose: true });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  if (Deno.build.os === "windows" && signal === "SIGTERM") continue;
  Deno.addSignalListener(signal, () => Deno.exit(0));
}

await runTask(() =>
  follow(readOptions()).catch((error) => {
    // The reader of the output has ended: `deno task tail | head -1`.
    if (error instanceof Deno.errors.BrokenPipe) return 0;
    throw error;
  })
);
