/**
 * How long an inbox of 50,000 envelopes takes for each list and search, and what indexing costs as envelopes are stored:
 * `deno run -A bench/inbox.ts`. Ends with 1 where a query takes more than 200 ms.
 */
import { join } from "node:path";
import { admitted } from "../monitoring/inbox/_test_envelopes.ts";
import { describeEnvelope } from "../monitoring/inbox/read/describe.ts";
import { InboxFile } from "../monitoring/inbox/inbox_file.ts";
import { entriesOf } from "../monitoring/inbox/read/entries/entries.ts";
import { parseEnvelope } from "../monitoring/inbox/read/parsed_envelope.ts";
import type { ListQuery, Lists } from "../monitoring/inbox/read/rows.ts";
import { openInbox } from "../monitoring/inbox/store.ts";
import { type MadeEnvelope, makeEnvelopes } from "./inbox_envelopes.ts";

const COUNT = 50_000;
const BUDGET_MS = 200;
/** Nothing is evicted: the inbox holds all of them. */
const MAX_BYTES = 2 * 1024 ** 3;
const REPETITIONS = 15;
/** Envelopes of each of the alternating rounds that compare storing with and without an index. */
const ROUND = 500;
const ROUNDS = 6;
const NO_ENTRIES = { traces: [], errors: [], logs: [] };

const folder = Deno.makeTempDirSync({ prefix: "bench-inbox-" });
try {
  const isSlow = await queries();
  storing();
  if (isSlow) Deno.exitCode = 1;
} finally {
  Deno.removeSync(folder, { recursive: true });
}

/** Prints each query's median and worst; true: one was over the budget. */
async function queries(): Promise<boolean> {
  const path = join(folder, "inbox.sqlite");
  const filling = openInbox({ path, maxBytes: MAX_BYTES });
  let bytes = 0;
  let known: MadeEnvelope | undefined;
  const begun = performance.now();
  for (const made of makeEnvelopes(COUNT)) {
    bytes += made.bytes.byteLength;
    if (made.number === COUNT / 2) known = made;
    await filling.store(admitted(made.bytes, made.receivedAt));
  }
  const seconds = (performance.now() - begun) / 1_000;
  filling.close();
  const disk = Deno.statSync(path).size;
  console.log(
    `${COUNT} envelopes, ${mib(bytes)} MiB of bodies, ${mib(disk)} MiB of file; ` +
      `stored at ${Math.round(COUNT / seconds)}/s`,
  );

  const opening = performance.now();
  const inbox = openInbox({ path, maxBytes: MAX_BYTES });
  console.log(`opened in ${(performance.now() - opening).toFixed(1)} ms`);
  const trace = known?.trace ?? "";
  const group = inbox.page("errors", {}).rows[0]?.group ?? "";
  let isSlow = false;
  const time = (name: string, query: () => { rows: readonly unknown[]; next: string | null }) => {
    const times: number[] = [];
    let rows = 0;
    for (let n = 0; n < REPETITIONS; n++) {
      const begun = performance.now();
      rows = query().rows.length;
      times.push(performance.now() - begun);
    }
    const [worst, median] = [Math.max(...times), times.toSorted((a, b) => a - b)[REPETITIONS >> 1]];
    isSlow ||= worst > BUDGET_MS;
    const mark = worst > BUDGET_MS ? `  over ${BUDGET_MS} ms` : "";
    console.log(
      `${name.padEnd(42)} ${median?.toFixed(1).padStart(7)} ms median ` +
        `${worst.toFixed(1).padStart(7)} ms worst ${String(rows).padStart(4)} rows${mark}`,
    );
  };
  const oldest = `${(COUNT / 50) * 2_048}.${(COUNT + 1) * 2_048}`;
  const kinds: Record<string, ListQuery> = {
    "all": {},
    "an old page": { before: oldest },
    "search, found often": { q: "checkout" },
    "search, found once": { q: trace.slice(4, 28) },
    "search, found nowhere": { q: "nothing holds this" },
    "search of one letter": { q: "E" },
    "search in another alphabet": { q: "ÄÖ größe" },
    "one trace": { trace },
  };
  const others: [keyof Lists, string, ListQuery][] = [
    ["occurrences", "one group", { group }],
    ["occurrences", "one group, search, nowhere", { group, q: "nothing holds this" }],
    ["logs", "level fatal", { level: "fatal" }],
    ["logs", "level warn and a search, nowhere", { level: "warn", q: "nothing holds this" }],
  ];
  for (const name of ["traces", "errors", "occurrences", "logs"] as const) {
    for (const [kind, query] of Object.entries(kinds)) {
      time(`${name}: ${kind}`, () => inbox.page(name, query));
    }
  }
  for (const [name, kind, query] of others) time(`${name}: ${kind}`, () => inbox.page(name, query));
  for (const [kind, query] of Object.entries(kinds)) {
    time(`envelopes: ${kind}`, () => inbox.envelopes(query));
  }
  time("envelopes: one type", () => inbox.envelopes({ type: "span" }));
  time("envelopes: a type that none has", () => inbox.envelopes({ type: "profile" }));
  time("envelopes: a type and a search", () => inbox.envelopes({ type: "event", q: "nowhere" }));
  inbox.close();
  return isSlow;
}

/** Prints the rates of storing with and without an index, taken in turns so that both meet the same disk. */
function storing(): void {
  const files = [true, false].map((isIndexed) => ({
    isIndexed,
    file: new InboxFile(join(folder, `storing-${isIndexed}.sqlite`), MAX_BYTES),
    ms: 0,
  }));
  const envelopes = [...makeEnvelopes(ROUND * ROUNDS)];
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of files) {
      const begun = performance.now();
      for (const { bytes, receivedAt } of envelopes.slice(round * ROUND, (round + 1) * ROUND)) {
        const parsed = parseEnvelope(bytes);
        const entries = one.isIndexed ? entriesOf(parsed, receivedAt) : NO_ENTRIES;
        const description = describeEnvelope(parsed);
        one.file.insert({ ...description, entries, bytes, receivedAt, contentEncoding: null });
      }
      one.ms += performance.now() - begun;
    }
  }
  const [withIndex, without] = files.map(({ ms }) => Math.round(envelopes.length / ms * 1_000));
  for (const { file } of files) file.close();
  const ratio = (withIndex ?? 0) / (without ?? 1);
  console.log(`storing: ${withIndex}/s indexed, ${without}/s not: ${ratio.toFixed(2)} ×`);
}

function mib(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0);
}
