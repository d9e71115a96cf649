/**
 * `deno task tail`: prints errors, logs and traces of a running server, one line each as they arrive.
 *
 * Exit code: 0: stopped by a signal, or the reader of the output has ended; 1: it cannot be started or continued.
 */
import { readBody } from "../../monitoring/protocol/read_body.ts";
import { indexEnvelope } from "../../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import { visibleJson } from "../../monitoring/models/readable_json.ts";
import { OWN_SOURCE } from "../../monitoring/models/rows.ts";
import {
  decodeBody,
  DecodeError,
  parseContentEncoding,
} from "../../monitoring/protocol/encoding.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { runTask, UserError } from "../command_line.ts";
import { formatRow, rowsOf, visibleText } from "./format_row.ts";
import { ConnectionError, readEvents } from "./read_events.ts";
import { readTailOptions, type TailOptions, type View } from "./tail_options.ts";

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
/** Decompressed bytes of one envelope. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The server answers with 5xx. The message is for the user. */
class BusyError extends Error {
  override readonly name = "BusyError";
}

/** Prints rows as they arrive, also after a restart of the server. Ends only by an error. */
async function follow(options: TailOptions): Promise<never> {
  const { origin } = options;
  let since: number | undefined;
  let showsOwn = options.all;
  let pause = FIRST_PAUSE_MS;
  let isLost = false;
  for (;;) {
    try {
      const isFirst = since === undefined;
      if (isFirst) {
        showsOwn ||= !await hasApplications(options);
        since = await newestCursor(options);
      }
      const stream = await request(options, `?since=${since}`, "text/event-stream");
      if (isFirst) console.error(`Following ${options.views.join(", ")} of ${origin}`);
      if (isLost) console.error("Connected again.");
      isLost = false;
      pause = FIRST_PAUSE_MS;
      for await (const { name, id, data } of readEvents(stream.body!)) {
        if (name === "envelope") {
          const row: InboxRow = JSON.parse(data);
          const isOwn = row.source === OWN_SOURCE.key;
          if (!isOwn) showsOwn = options.all;
          if (!isOwn || showsOwn) await printEnvelope(options, row);
        }
        if (name === "cleared") console.error("The inbox was emptied.");
        if (id !== undefined) since = Number(id);
      }
    } catch (error) {
      if (!(error instanceof ConnectionError || error instanceof BusyError)) throw error;
      if (since === undefined) throw startError(origin, error);
    }
    if (!isLost) console.error(`The connection to ${origin} is lost. Waiting for the server.`);
    isLost = true;
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }
}

/** The error for the user if the server cannot be followed from the start. */
function startError(origin: string, cause: unknown): UserError {
  const message = cause instanceof BusyError
    ? cause.message
    : `Cannot tail: no server answers at ${origin}. Start it with "deno task start", or name another with` +
      " --url=http://HOST:PORT.";
  return new UserError(message, { cause });
}

async function newestCursor(options: TailOptions): Promise<number> {
  // No row is after the largest cursor: the response has only the inbox's cursor.
  const response = await request(options, `?since=${Number.MAX_SAFE_INTEGER}&limit=1`);
  const { cursor } = await response.json();
  return cursor;
}

/** Whether an application other than Sightglass has sent anything. If so, Sightglass's own telemetry is hidden. */
async function hasApplications(options: TailOptions): Promise<boolean> {
  const { rows } = await (await request(options, "?view=sources")).json();
  return rows.some(({ key }: { key: string }) => key !== OWN_SOURCE.key);
}

async function printEnvelope(options: TailOptions, row: InboxRow): Promise<void> {
  const types = options.views.flatMap((view) => READ_TYPES[view]);
  if (!row.items.some(({ type }) => types.includes(type))) return;
  const bytes = await envelopeBytes(options, row);
  if (bytes === undefined) return;
  const { entries } = indexEnvelope(parseEnvelope(bytes), row.received_at);
  const coloured = Deno.stdout.isTerminal() && !Deno.noColor;
  for (const entry of rowsOf(entries, options.views)) {
    const line = options.json
      ? visibleJson({ ...entry, envelope: row.id, received_at: row.received_at })
      : formatRow(entry, coloured);
    await print(`${line}\n`);
  }
}

/** The decompressed bytes; undefined if the envelope is not stored any more or cannot be read. */
async function envelopeBytes(
  options: TailOptions,
  { id, content_encoding }: InboxRow,
): Promise<Uint8Array | undefined> {
  const response = await request(options, `?id=${id}`, undefined, [404]);
  if (response.status === 404) return void await response.body?.cancel();
  try {
    const bytes = await readBody(response.body!, MAX_BYTES);
    if (DECODED_BY_FETCH.includes(content_encoding)) return bytes;
    return await decodeBody(bytes, parseContentEncoding(content_encoding), MAX_BYTES);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof DecodeError)) {
      throw new ConnectionError("The connection broke off.", { cause: error });
    }
    console.error(`Cannot read envelope ${id}: ${error.message}`);
  }
}

/**
 * @throws {UserError} 3xx or 4xx: the server would refuse again
 * @throws {BusyError} 5xx
 * @throws {ConnectionError} no response
 */
async function request(
  { origin, token }: TailOptions,
  query: string,
  accept = "application/json",
  expected: readonly number[] = [],
): Promise<Response> {
  const headers: Record<string, string> = { Accept: accept };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(`${origin}/monitoring/inbox${query}`, {
    headers,
    redirect: "manual",
  }).catch((cause) => {
    throw new ConnectionError("No server answers.", { cause });
  });
  if (response.ok || expected.includes(response.status)) return response;
  const { detail } = await response.json().catch(() => ({}));
  const reason = typeof detail === "string"
    ? visibleText(detail)
    : "Is it Sightglass? Name its address with --url=http://HOST:PORT.";
  const message = `Cannot tail: ${origin} answers ${response.status}. ${reason}`;
  throw response.status >= 500 ? new BusyError(message) : new UserError(message);
}

const encoder = new TextEncoder();

/** @throws {Deno.errors.BrokenPipe} the reader of the output has ended */
async function print(text: string): Promise<void> {
  let left = encoder.encode(text);
  while (left.length > 0) left = left.subarray(await Deno.stdout.write(left));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  if (Deno.build.os === "windows" && signal === "SIGTERM") continue;
  Deno.addSignalListener(signal, () => Deno.exit(0));
}

await runTask(() =>
  follow(readTailOptions(Deno.args, (name) => Deno.env.get(name))).catch((error) => {
    // The reader of the output has ended: `deno task tail | head -1`.
    if (error instanceof Deno.errors.BrokenPipe) return 0;
    throw error;
  })
);
