import assert from "node:assert/strict";
import { join } from "node:path";
import { queryPlans, tableScans } from "../storage/testdata/table_scans.ts";
import { Inbox } from "./inbox.ts";
import { admitted, envelopeOf, recorded, span, type TestItem } from "./testdata/envelopes.ts";
import { ids } from "./testdata/inbox_suite.ts";

const DAY_MS = 86_400_000;
const RECORDED = ["event", "span", "log", "transaction", "replay"].map(recorded);
const MAX_BYTES = 5 * RECORDED.reduce((sum, { byteLength }) => sum + byteLength, 0);
/** `g`: `group_states`. Only the first row of `moves` (`m`) is read. */
const FEW_ROWS = ["totals", "sqlite_sequence", "group_states", "g", "source_maps", "moves", "m"];

/** Read until enough is found. */
const READ_IN_PART =
  /^SELECT id, bytes AS size FROM envelopes ORDER BY id$|FROM senders ORDER BY newest DESC LIMIT 1000/;
/** Applications with their counts and operations: they read their tables. */
const LISTS = /^(WITH|SELECT \(SELECT (count|key)|SELECT (DISTINCT e.op|json_group))/;

Deno.test("full inbox stores and evicts → no statement reads a whole table", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const path = join(folder, "inbox.sqlite");
  let now = 1_790_000_000_000;
  const inbox = new Inbox({ path, maxBytes: MAX_BYTES, maxAgeDays: 30, now: () => now });
  /** An envelope of each kind, so long after another. */
  const store = async (stepMs: number) => {
    for (const bytes of RECORDED) await inbox.store(admitted(bytes, now += stepMs));
  };
  /** One of a release; null: of a sender whose application is not known. */
  const storeOf = (service: string | null, release: string, ...others: TestItem[]) => {
    const attributes = {
      "service.name": { value: service },
      "sentry.release": { value: release },
    };
    const items = service === null ? others : [span(1, { attributes }), ...others];
    return inbox.store(admitted(envelopeOf({ sdk: { name: "sentry.python" } }, ...items), now));
  };
  try {
    for (let round = 0; round < 8; round++) await store(1);
    assert.notEqual(ids(inbox)[0], 1, "the oldest are evicted");
    const { group } = inbox.page("errors", {}).rows[0]!;
    const plans = await queryPlans(path, async () => {
      for (const release of ["1", "2"]) await storeOf("api", release);
      await storeOf(null, "3", ["check_in", { release: "3" }]);
      await storeOf("worker", "3");
      await store(1);
      const query = { since: ids(inbox)[0]!, limit: 10 };
      for (const type of [undefined, "event"]) inbox.list({ ...query, type });
      assert.equal(await inbox.storeImported(admitted(RECORDED[0]!, now)), "no room");
      inbox.changeGroup(group, "resolved");
      await store(10 * DAY_MS);
      assert.equal(ids(inbox).length, 4, "what is too old is deleted");
      await inbox.changeGroup(group, "deleted");
      inbox.applications({});
      for (const list of ["feedback", "logs", "queries", "ai_runs"] as const) inbox.page(list, {});
    });
    const [lists, others] = [true, false].map((isList) =>
      new Map([...plans].filter(([sql]) => LISTS.test(sql) === isList))
    );
    const scans = tableScans(others!, FEW_ROWS).filter((sql) => !READ_IN_PART.test(sql));
    assert.deepEqual(scans, []);
    // Not once for each application.
    const read = [...lists!].find(([sql]) => sql.startsWith("WITH seen"))![1];
    const scanned = read.filter((step) => /^SCAN [^(]/.test(step));
    assert.deepEqual(scanned.map((step) => step.split(" ")[1]), [
      "envelope_entries",
      "seen",
      "listed",
    ]);
    const ops = [...lists!].find(([sql]) => sql.startsWith("WITH RECURSIVE"))![1];
    assert.ok(
      ops.some((step) => step.endsWith("((application,op,trace_id)>(?,?,?))")),
      "not once for each span of an operation",
    );
    const feedback = [...lists!].find(([sql]) => /^WITH page.* feedback_e/.test(sql))![1];
    const logs = [...lists!].find(([sql]) => /^WITH page.* log_entries/.test(sql))![1];
    for (
      const [list, index] of [
        [feedback, "error_entries_by_event"],
        [feedback, "error_entries_by_replay (replay_id=? AND application=? AND at<?)"],
        // Not each envelope of a process that has one trace.
        [logs, "trace_entries_with_replay (trace_id=?"],
      ] as const
    ) assert.ok(list.some((step) => step.includes(`INDEX ${index}`)), index);
    for (const start of ["WITH RECURSIVE q", "WITH RECURSIVE up"]) {
      const steps = [...lists!].find(([sql]) => sql.startsWith(start))![1];
      const above = "INDEX spans_by_trace (trace_id=? AND span_id=?";
      const at = steps.findIndex((step) => step.includes(above));
      assert.match(steps[at - 1] ?? "", /^CORRELATED/, "not each span that was sent again");
    }
    // Not among all envelopes of the application.
    const forgets = [...plans].filter(([sql]) => sql.startsWith("DELETE FROM releases"));
    assert.deepEqual(forgets.map(([_, steps]) => steps.at(-1)), [
      "SEARCH e USING COVERING INDEX envelope_entries_by_application (application=? AND release=?)",
    ]);
  } finally {
    inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
