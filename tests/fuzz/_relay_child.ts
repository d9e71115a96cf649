/**
 * The relay in a separate process, because an ingest's answer could abort it. Prints the addresses of the relay and of
 * its controls, then serves until its standard input ends.
 *
 * Controls: `POST /?ms=N` advances both clocks; `GET /in-flight` and `GET /memory` return bytes, the latter after
 * garbage collection.
 */
import { startRelay } from "../relay/_start_relay.ts";

/** Short, because every answer that never ends takes this long; long enough for good answers on a busy machine. */
const RELAY_TIMEOUT_MS = 2_000;

const [upstream = ""] = Deno.args;
let elapsed = 0;
const start = Date.parse("2026-01-01T00:00:00Z");
const server = startRelay({
  upstream,
  relayTimeoutMs: RELAY_TIMEOUT_MS,
  uptime: () => elapsed,
  now: () => start + elapsed,
});

const controls = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "POST") {
      elapsed += Number(searchParams.get("ms"));
      return new Response();
    }
    if (pathname === "/in-flight") return Response.json((await server.health()).in_flight_bytes);
    (globalThis as { gc?: () => void }).gc?.();
    const { heapUsed, external } = Deno.memoryUsage();
    return Response.json(heapUsed + external);
  },
);
console.log(`${server.host} 127.0.0.1:${controls.addr.port}`);

// The pipe closes when the parent ends, also when it is killed.
await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.exit(0);
