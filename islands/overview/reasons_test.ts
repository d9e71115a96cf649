import assert from "node:assert/strict";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import type { MonitorRow } from "../../monitoring/models/monitors/monitor_row.ts";
import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import { ofRelease } from "../../monitoring/models/application_rows.ts";
import { NOT_NAMED, reasonsOf } from "./reasons.ts";

Object.defineProperty(globalThis, "location", { value: new URL("http://localhost/#/overview") });

Deno.test("server 9 minutes ahead → its error is since its time, not since the newest envelope", () => {
  const minute = 60_000;
  const group = { group: "a", type: "Error", value: "", where: null, first_seen: 20 * minute };
  const groups = [{ ...group, first_received_at: 11 * minute, count: 1 } as ErrorGroupRow];
  const sinceOf = (clock_ms: number, last_seen: number) => {
    const worker = { ...NOT_NAMED, key: "worker", side: "server", clock_ms, last_seen } as const;
    const [reason] = reasonsOf(worker, groups, [], []).filter(({ of }) => of !== null);
    const monitor = { application: "worker", slug: "a", state: "missed", runs: [] };
    const missed = { ...monitor, since: 30 * minute + clock_ms } as unknown as MonitorRow;
    const ofMonitor = reasonsOf(worker, [], [], [missed]).find(({ of }) => of === missed);
    assert.equal(ofMonitor!.since / minute, 30, "it was due after the newest envelope");
    return reason!.since / minute;
  };
  assert.equal(sinceOf(9 * minute, 13 * minute), 11);
  assert.equal(sinceOf(9 * minute, 25 * minute), 11);
  assert.equal(sinceOf(0, 25 * minute), 20);
  assert.equal(sinceOf(0, 13 * minute), 13, "a clock that was set since");
});

Deno.test("release chosen → the clock is that of its own newest envelope, or not known", () => {
  const off = { clock_ms: -7_200_000, starts: [1], releases: ["5.1.0", "x"] };
  const seats = { ...NOT_NAMED, key: "seats", side: "server", ...off } as const;
  const textOf = (release?: string) =>
    reasonsOf(ofRelease(seats, release), [], [], [])[0]?.what.replaceAll("\u00a0", " ");
  assert.equal(textOf(), "Its clock is 2 h 00 min behind, or it sends late");
  assert.equal(textOf("5.1.0"), textOf());
  assert.equal(textOf("x"), undefined);
  assert.deepEqual(ofRelease(seats, "5.1.0").starts, []);
});

Deno.test("rolled back to the release before → what was new names the one that brought it", () => {
  const api = { ...NOT_NAMED, key: "api", releases: ["api@1", "api@2"], releases_since: [1, 9] };
  const runs = { count: 5, median: 9, dots: [] };
  const endpoint = {
    ...{ name: "GET /", op: null, since: 9, failed_since: 9 },
    ...runs,
    failed: 5,
  };
  const rows = [{ ...endpoint, before: { ...runs, failed: 0 } } as unknown as EndpointRow];
  const group = {
    group: "a",
    type: "Error",
    value: "",
    where: null,
    first_received_at: 9,
    count: 1,
  };
  const reasons = reasonsOf(api, [group as ErrorGroupRow], rows, []);
  assert.deepEqual(reasons.map(({ why }) => why), [
    "new failures in 2: 5 of 5, of other releases 0 of 5",
    "new since 2, 1×",
  ]);
});
