import { startServer } from "../tools/server_process.ts";
import { type Figure, median } from "./figures.ts";
import { load } from "./relay/load.ts";
import { startNginx } from "./relay/nginx.ts";
import { type Peer, startPeer } from "./relay/peer.ts";

const ROUNDS = 5;
const SECONDS = 3;
/** Until the compiler has seen enough. */
const WARM_UP_SECONDS = 3;

/** Budgets of DESIGN, section 7: of handleTunnelRequest's and of nginx's envelopes in a second. */
const SIZES = [
  { name: "2 KB", bytes: 2_000, tunnel: 1.2, nginx: 0.28 },
  { name: "200 KB", bytes: 200_000, tunnel: 1.0, nginx: 0.5 },
] as const;

/**
 * Envelopes in a second through the relay (as `deno task start` runs it, its spool included), through
 * `handleTunnelRequest` of `@sentry/core` on the same Deno, and through nginx's `proxy_pass`, all to
 * one stand-in ingest, each a process of its own. wrk posts over 32 connections from one thread.
 *
 * Rounds alternate between them, so that whatever else the machine does hits all; what counts is the
 * ratio of the medians, not a number of one machine.
 */
export async function benchRelay(): Promise<Figure[]> {
  await using ingest = await startPeer("ingest.ts");
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using tunnel = await startPeer("tunnel.ts", dsn);
  await using nginx = await startNginx(ingest.origin);
  await using relay = await startServer({ env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always" } });
  if (nginx === undefined) console.log("nginx is not on PATH: nothing is measured against it");

  const figures: Figure[] = [];
  for (const { name, bytes, ...budgets } of SIZES) {
    const peers: [string, Peer, number[]][] = [["relay", relay, []], ["tunnel", tunnel, []]];
    if (nginx) peers.push(["nginx", nginx, []]);
    for (const [, peer] of peers) await load(peer, { dsn, bytes, seconds: WARM_UP_SECONDS });
    for (let round = 0; round < ROUNDS; round++) {
      for (const [, peer, rates] of peers) {
        rates.push(await load(peer, { dsn, bytes, seconds: SECONDS }));
      }
    }
    const [own = 0, ofTunnel = 0, ofNginx] = peers.map(([, , rates]) => median(rates));
    figures.push(rate("relay", name, own), rate("handleTunnelRequest", name, ofTunnel));
    if (ofNginx !== undefined) figures.push(rate("nginx", name, ofNginx));
    figures.push(ratio("handleTunnelRequest", name, own / ofTunnel, budgets.tunnel));
    if (ofNginx !== undefined) figures.push(ratio("nginx", name, own / ofNginx, budgets.nginx));
  }
  return figures;
}

function rate(who: string, size: string, value: number): Figure {
  return { what: `${who}, envelopes of ${size}`, value, unit: "/s" };
}

function ratio(peer: string, size: string, value: number, least: number): Figure {
  return { what: `relay against ${peer}, ${size}`, value, unit: "×", budget: { least } };
}
