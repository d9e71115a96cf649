import assert from "node:assert/strict";
import fc from "fast-check";
import { admitted, envelopeOf, hexId } from "./_test_envelopes.ts";
import type { ListQuery, Lists } from "./read/rows.ts";
import { openInbox } from "./store.ts";
import {
  ENVELOPE_BYTES,
  error,
  indexTests,
  type IndexUnderTest,
  log,
  span,
} from "./testdata/index_suite.ts";
import { memoryIndexUnderTest } from "./testdata/memory_index_under_test.ts";

function sqliteIndexUnderTest(maxEnvelopes: number): IndexUnderTest {
  const inbox = openInbox({ maxBytes: maxEnvelopes * ENVELOPE_BYTES });
  return {
    add: (bytes, receivedAt) => inbox.store(admitted(bytes, receivedAt)),
    list: (name, query) => inbox.page(name, query),
    envelopes: (query) => inbox.envelopes(query),
    clear: () => void inbox.clear(),
    remove: () => inbox.close(),
  };
}

indexTests("SQLite", sqliteIndexUnderTest).forEach((test) => Deno.test(test));

const few = fc.integer({ min: 1, max: 4 });
const word = fc.constantFrom("order 1", "order 2", "Payment", "100%", "größe", "x_y");
const level = fc.constantFrom("trace", "info", "warn", "fatal");
const NOW = 1_795_262_400_000;
const time = fc.integer({ min: NOW - 9_000, max: NOW }).map((ms) => ms / 1_000);

const item = fc.oneof(
  fc.record({ trace: few, name: word, start_timestamp: time, parent_span_id: word }, {
    requiredKeys: ["trace"],
  }).map(({ trace, ...rest }) => span(trace, rest)),
  fc.record({ body: word, level, timestamp: time, trace: few }, { requiredKeys: ["body"] })
    .map(({ body, trace, ...rest }) =>
      log(body, trace === undefined ? rest : { ...rest, trace_id: hexId(trace) })
    ),
  fc.tuple(word, fc.option(few, { nil: undefined }), time)
    .map(([value, trace, timestamp]) => error(value, trace, { timestamp })),
  few.map((n) => ["replay_event", { replay_id: hexId(90 + n), trace_ids: [hexId(n)] }] as const),
  few.map((n) => ["trace_metric", { items: [{ trace_id: hexId(n) }] }] as const),
);

const query: fc.Arbitrary<ListQuery> = fc.record({
  q: fc.oneof(word, fc.constantFrom("", "ORDER", "e", "span", hexId(2), "%", "typeerror")),
  trace: few.map(hexId),
  type: fc.constantFrom("span", "log", "event"),
  level,
  limit: few,
}, { requiredKeys: [] });

Deno.test("SQLite answers every query as the plain index in memory does, page by page", async () => {
  const names: (keyof Lists)[] = ["traces", "errors", "occurrences", "logs"];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      async (envelopes, queries) => {
        const sqlite = sqliteIndexUnderTest(1_000);
        const memory = memoryIndexUnderTest();
        // Ids differ, so cursors and what names an envelope do: by its place among all.
        const ids = { sqlite: [] as number[], memory: [] as number[] };
        try {
          for (const [n, items] of envelopes.entries()) {
            const bytes = envelopeOf({}, ...items);
            await sqlite.add(bytes, NOW + n);
            await memory.add(bytes, NOW + n);
          }
          ids.sqlite = sqlite.envelopes({}).rows.map((row) => row.id);
          ids.memory = memory.envelopes({}).rows.map((row) => row.id);
          for (const asked of queries) {
            for (const name of names) {
              const one = everyRow((before) => sqlite.list(name, { ...asked, before }));
              const other = everyRow((before) => memory.list(name, { ...asked, before }));
              assert.deepEqual(tidy(one, ids.sqlite), tidy(other, ids.memory), name);
            }
            const one = everyRow((before) => sqlite.envelopes({ ...asked, before }));
            const other = everyRow((before) => memory.envelopes({ ...asked, before }));
            assert.deepEqual(tidy(one, ids.sqlite), tidy(other, ids.memory));
          }
        } finally {
          sqlite.remove();
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** All rows of a list, with a mark where a page ends. */
function everyRow(
  ask: (before?: string) => { rows: readonly object[]; next: string | null },
): (object | "end of page")[] {
  const rows: (object | "end of page")[] = [];
  for (let page = ask();; page = ask(page.next)) {
    rows.push(...page.rows, "end of page");
    if (page.next === null) return rows;
  }
}

/** Envelopes by their place among all. */
function tidy(rows: readonly (object | "end of page")[], ids: readonly number[]): unknown[] {
  return rows.map((row) => {
    if (typeof row === "string") return row;
    const { id, envelope, ...rest } = row as { id?: number; envelope?: number };
    return { ...rest, envelope: ids.indexOf(id ?? envelope ?? -1) };
  });
}
