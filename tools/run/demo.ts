/**
 * `deno task demo`: relay mode without an account. Starts a stand-in Sentry on loopback and the server
 * relaying to it, opens the page, and prints one line for each envelope that arrives. The stand-in has a page of its
 * own, which makes it down, rate limited or slow.
 *
 * `PORT` (default 8000) is the page's. In a terminal the browser opens automatically.
 */
import { formatBytes, shortId } from "../../components/format.ts";
import { formatTimeOfDay } from "../../components/format_time.ts";
import { countItems } from "../../components/count_items.ts";
import { indexEnvelope } from "../../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import { decodeBody, parseContentEncoding } from "../../monitoring/protocol/encoding.ts";
import type { IngestRequest } from "../../tests/harness/stand_in_ingest.ts";
import { projectRoot } from "../project_files.ts";
import { startDemoIngest } from "./demo_ingest.ts";
import { prepare } from "./prepare.ts";
import { onStopRequest } from "./processes.ts";
import { startServer } from "../../tests/harness/server_process.ts";

/** Names Sentry's hosted ingest, so that the page posts to its own origin. Sentry receives nothing. */
export const DEMO_DSN = "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/1";

/** Larger than any envelope of the page. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * Describes an arrived envelope in one line: time, size, items, trace.
 *
 * @param now milliseconds since 1970
 * @throws the body is not an envelope
 */
export async function describeArrival(
  { body, headers }: Pick<IngestRequest, "body" | "headers">,
  now: number,
): Promise<string> {
  const encoding = parseContentEncoding(headers["content-encoding"] ?? null);
  const decoded = encoding ? await decodeBody(body, encoding, MAX_DECODED_BYTES) : body;
  const { description } = indexEnvelope(parseEnvelope(decoded), 0);
  const { items, trace_ids: [trace] } = description;
  const kinds = countItems(items)
    .map(({ type, count }) => count === 1 ? type : `${count} ${type}`);
  const of = trace === undefined ? "" : `  trace ${shortId(trace)}`;
  return `${formatTimeOfDay(now)}  ${formatBytes(body.length).padStart(9)}  ${
    kinds.join(", ")
  }${of}`;
}

async function demo(): Promise<number> {
  // Until the server runs, stopping only needs to end this process.
  let stop = (): void => Deno.exit(0);
  onStopRequest(() => stop());
  const code = await prepare(projectRoot);
  if (code !== 0) return code;

  await using ingest = startDemoIngest((request) => {
    describeArrival(request, Date.now()).then(console.log, console.error);
  });
  await using server = await startServer({
    env: {
      PORT: Deno.env.get("PORT") || "8000",
      SENTRY_DSN: DEMO_DSN,
      RELAY_UPSTREAM: ingest.origin,
      SENTRY_ENVIRONMENT: "demo",
    },
  });
  console.log(`The page: ${server.origin}/`);
  console.log(`The stand-in Sentry, to switch to down, 429 or slow: ${ingest.origin}/`);
  console.log("Envelopes that it accepts:");
  if (Deno.stdout.isTerminal()) openInBrowser(`${server.origin}/`);

  await new Promise<void>((resolve) => stop = resolve);
  return 0;
}

/** Uses the system's opener, if there is one; the address is in the terminal, too. */
function openInBrowser(url: string): void {
  const [program, ...args] = {
    darwin: ["open", url],
    windows: ["rundll32", "url.dll,FileProtocolHandler", url],
  }[Deno.build.os as string] ?? ["xdg-open", url];
  try {
    new Deno.Command(program!, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn()
      .unref();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

if (import.meta.main) Deno.exitCode = await demo();
