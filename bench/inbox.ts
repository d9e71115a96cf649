/** An inbox of 200,000 envelopes of 25 sources: time of each list and search; cost of writing index entries. */
import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { admitted } from "../monitoring/inbox/testdata/envelopes.ts";
import { openInbox } from "../monitoring/inbox/sqlite_inbox.ts";
import { INBOX_QUERY_BUDGET } from "./budgets.ts";
import { type Figure, figure, median, worst } from "./figures.ts";
import { makeEnvelopes, timeOf } from "./inbox/envelopes.ts";
import { measureIndexWriting } from "./inbox/index_writing.ts";
import { inboxQueries, runQuery } from "./inbox/queries.ts";

const MIB = 1024 * 1024;
const COUNT = 200_000;
/** Large enough that nothing is evicted. The age is limited as by default: that has a cost at each store. */
const LIMITS = {
  maxBytes: 4 * 1024 ** 3,
  maxAgeDays: loadConfig({}).inboxMaxAgeDays,
  now: () => timeOf(COUNT),
};
/** Of each query. Their median is compared with the budget. */
const REPETITIONS = 5;

/** Measures queries, then the writing of index entries, in a temporary folder. */
export async function bench(): Promise<Figure[]> {
  const folder = Deno.makeTempDirSync({ prefix: "bench-inbox-" });
  try {
    return [...await measureQueries(folder), ...measureIndexWriting(folder)];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Fills an inbox and runs every kind of query that the console makes. */
async function measureQueries(folder: string): Promise<Figure[]> {
  const path = join(folder, "inbox.sqlite");
  const filled = openInbox({ path, ...LIMITS });
  let bytes = 0;
  let traceId = "";
  const storeStart = performance.now();
  for (const made of makeEnvelopes(COUNT)) {
    bytes += made.bytes.byteLength;
    if (made.number === COUNT / 2) traceId = made.trace;
    await filled.store(admitted(made.bytes, made.receivedAt));
  }
  const seconds = (performance.now() - storeStart) / 1_000;
  filled.close();

  const openStart = performance.now();
  const inbox = openInbox({ path, ...LIMITS });
  const openMs = performance.now() - openStart;
  const figures: Figure[] = [
    figure(`size of ${COUNT} envelopes`, [bytes / MIB], "MiB"),
    figure("size of the inbox file", [Deno.statSync(path).size / MIB], "MiB"),
    figure("storing, each synced and indexed", [COUNT / seconds], "envelopes/s"),
    figure("opening the inbox again", [openMs], "ms"),
  ];
  const { rows } = inbox.page("errors", { limit: 40 });
  for (const [n, { group }] of rows.entries()) {
    inbox.setGroupState(group, n % 2 === 0 ? "resolved" : "muted");
  }
  const queries = inboxQueries(inbox, { count: COUNT, traceId, now: timeOf(COUNT) });
  for (const [list, ofList = []] of Object.entries(Object.groupBy(queries, ({ list }) => list))) {
    const medians = ofList.map((query) => {
      const times = timesOf(() => runQuery(inbox, query));
      const [least, middle] = [times[0]!, median(times)].map((ms) => ms.toFixed(1));
      console.log(`  ${list} ${JSON.stringify(query.query)}: ${least}, ${middle}`);
      return median(times);
    });
    const what = `${list}: the slowest of ${ofList.length} filters and sorts, median`;
    figures.push(worst(what, medians, INBOX_QUERY_BUDGET));
  }
  inbox.close();
  return figures;
}

/** Milliseconds of each repetition, ascending. */
function timesOf(run: () => unknown): readonly number[] {
  return Array.from({ length: REPETITIONS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).toSorted((a, b) => a - b);
}
