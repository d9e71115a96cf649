import type { Health } from "../relay/_start_relay.ts";
import { until } from "./until.ts";

/** `GET /monitoring` of a real server. */
export async function healthOf({ origin }: { readonly origin: string }): Promise<Health> {
  return await (await fetch(`${origin}/monitoring`)).json();
}

/** Polls until the spool of a real server is empty. Returns its health then. */
export async function untilDrained(
  server: { readonly origin: string },
  timeoutMs?: number,
): Promise<Health> {
  let health = await healthOf(server);
  await until("the spool is empty", async () => {
    health = await healthOf(server);
    return health.spool.pending === 0;
  }, timeoutMs);
  return health;
}
