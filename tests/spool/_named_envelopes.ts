/** Envelopes that tests recognize by a name when they arrive. */
import { DSN, envelope, type RunningRelay } from "../relay/_start_relay.ts";
import type { StandInIngest } from "../harness/stand_in_ingest.ts";

/** An envelope of one item. {@linkcode nameOf} reads its name. */
export const named = (name: string, type = "event") =>
  envelope({ dsn: DSN, name }, [[{ type }, `{"message":"${name}"}`]]);

export const nameOf = ({ text }: { text: string }) => /"name":"([^"]*)"/.exec(text)?.[1] ?? "";

/** Names of all envelopes that the ingest received, oldest first. */
export const arrivedNames = (ingest: StandInIngest) => ingest.requests.map(nameOf);

/** Posts of {@linkcode postTogether} that run at the same time. */
const CONCURRENT_POSTS = 20;

/** `name0`, `name1`, … */
export const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => name + n);

/** Posts one after another. Returns the outcome of each. */
export async function postAll(
  relay: RunningRelay,
  bodies: Iterable<Uint8Array<ArrayBuffer>>,
): Promise<(string | null)[]> {
  const outcomes: (string | null)[] = [];
  for (const body of bodies) {
    const response = await relay.post(body);
    await response.body?.cancel();
    outcomes.push(response.headers.get("x-relay-outcome"));
  }
  return outcomes;
}

/** Posts many at the same time, in any order. Returns the outcomes of all. */
export async function postTogether(
  relay: RunningRelay,
  bodies: readonly Uint8Array<ArrayBuffer>[],
): Promise<(string | null)[]> {
  const rest = bodies.values();
  const posters = Array.from({ length: CONCURRENT_POSTS }, () => postAll(relay, rest));
  return (await Promise.all(posters)).flat();
}
