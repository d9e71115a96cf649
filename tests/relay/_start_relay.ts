import { Buffer } from "node:buffer";
import { join } from "node:path";
import { createOtlpEndpoint } from "../../monitoring/otlp/otlp_endpoint.ts";
import { parseDsn } from "../../monitoring/protocol/dsn.ts";
import { Relay } from "../../monitoring/relay/relay.ts";
import type { RelayOptions } from "../../monitoring/relay/relay_options.ts";
import { relayHandlers } from "../../routes/monitoring.ts";
import { toResponse } from "../../server/headers.ts";
import { RelaySpool } from "../../monitoring/relay/spool/relay_spool.ts";
import type { Method } from "../../server/endpoint.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

export const DSN = "https://publickey@o1.ingest.us.sentry.io/42";
export const MIB = 1024 * 1024;

export interface Health {
  is_healthy: boolean;
  mode: string;
  spool: { pending: number; bytes: number; oldest_age_s: number };
  ingest?: { failing: { origin: string; reason: string }[] };
  outcomes: Record<string, number>;
  refused: { applications: number; sightglass: number };
  in_flight_bytes: number;
}

const OTLP_PATH = /^(?:\/api\/(\d+)\/integration\/otlp)?\/v1\/(traces|logs|metrics)$/;

/** Starts the routes `/monitoring` and those of OTLP on a free port, with one hosted DSN and a test's own options. */
export function startRelay(options: Partial<RelayOptions> = {}) {
  const relay = new Relay({
    allowedDsns: [parseDsn(DSN)!],
    maxEnvelopeBytes: 20 * MIB,
    maxInFlightBytes: 256 * MIB,
    relayTimeoutMs: 10_000,
    ...options,
  });
  const handlers = relayHandlers(relay);
  const otlp = createOtlpEndpoint(relay);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (req, info) => {
      const [, project, signal] = OTLP_PATH.exec(new URL(req.url).pathname) ?? [];
      if (signal && req.method === "POST") {
        const { hostname } = info.remoteAddr;
        return toResponse(await otlp(req, hostname, signal as "traces" | "logs", project));
      }
      const handler = handlers[req.method as Method];
      if (!handler) return new Response(null, { status: 405 });
      const result = await handler({
        req,
        url: new URL(req.url),
        params: {},
        peer: info.remoteAddr.hostname,
      });
      // The server does this for every handler.
      return toResponse(result);
    },
  );
  const { port } = server.addr;
  const host = `127.0.0.1:${port}`;
  const origin = `http://${host}`;
  const health = async (): Promise<Health> => (await fetch(`${origin}/monitoring`)).json();
  return {
    relay,
    origin,
    host,
    port,
    /** Posts without the headers of a browser (`Origin`, `Sec-Fetch-Site`). */
    post: (body: BodyInit | null, headers: Record<string, string> = {}, query = "") =>
      fetch(`${origin}/monitoring${query}`, { method: "POST", body, headers }),
    /** Posts an OTLP request in JSON. */
    postOtlp: (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(origin + path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      }),
    health,
    /** Polls the health until `find` returns true, for at most 60 s. */
    async healthWhen(find: (health: Health) => boolean): Promise<Health> {
      let now = await health();
      await until(`the health fits ${find}`, async () => find(now = await health()));
      return now;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

export type RunningRelay = ReturnType<typeof startRelay>;

/** A {@linkcode RunningRelay} with a spool in a temporary folder. */
export async function startSpooledRelay(options: Partial<RelayOptions> = {}) {
  const folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  const spool = await RelaySpool.open({ path, maxBytes: 1e9, maxAgeHours: 24 }, () => {});
  const running = startRelay({ spool, ...options });
  return {
    ...running,
    spool,
    /** Of its file. */
    spoolPath: path,
    /** Starts to deliver from the spool. */
    drain: () => running.relay.start(),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await running.relay.stop();
      await running.relay.close();
      folder[Symbol.dispose]();
    },
  };
}

let made = 0;

/** An envelope of event `e1` that is no duplicate of any other. */
export function fresh(
  items?: Parameters<typeof envelope>[1],
): Uint8Array<ArrayBuffer> {
  return envelope({ event_id: "e1", dsn: DSN, made: ++made }, items);
}

/** The bytes of an envelope: header, then items as pairs of header and payload. */
export function envelope(
  header: Record<string, unknown>,
  items: readonly (readonly [Record<string, unknown>, string | Uint8Array])[] = [
    [{ type: "event" }, '{"message":"boom"}'],
  ],
): Uint8Array<ArrayBuffer> {
  const parts: (string | Uint8Array)[] = [JSON.stringify(header), "\n"];
  for (const [itemHeader, payload] of items) {
    const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
    parts.push(JSON.stringify({ length: bytes.length, ...itemHeader }), "\n", bytes, "\n");
  }
  return concat(parts);
}

export function concat(parts: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
}

/** An envelope with one item of this size that is no duplicate of any other. */
export function largeEnvelope(bytes: number): Uint8Array<ArrayBuffer> {
  return fresh([[{ type: "attachment" }, new Uint8Array(bytes)]]);
}
