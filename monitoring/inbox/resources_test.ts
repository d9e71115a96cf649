/** Bodies of several resources, as OpenTelemetry's collectors send them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { indexBody } from "../models/index/index_entries.ts";
import { parseEnvelope } from "../models/parsed_envelope.ts";
import type { ListQuery } from "../models/list_query.ts";
import { envelopeChange } from "./change.ts";
import { InboxFile } from "./inbox_file.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { admitted, envelopeOf, error, hexId, span, type TestItem } from "./testdata/envelopes.ts";
import { NOON } from "./testdata/tested_index.ts";

/** An open inbox, and a function that stores a body whose resources have these items. */
function start() {
  const db = new DatabaseSync(":memory:");
  db.exec(INBOX_SCHEMA.create);
  const file = new InboxFile(db, 10_000_000, () => -Infinity);
  const add = (...resources: TestItem[][]) => {
    const sdk = { name: "sentry.python" };
    const bodies = resources.map((items) => envelopeOf({ sdk }, ...items));
    const index = indexBody(bodies.map(parseEnvelope), NOON);
    file.apply({ ...envelopeChange(admitted(bodies[0]!, NOON), ""), ...index });
  };
  const values = (name: "logs" | "occurrences", query: ListQuery) =>
    file.lists.page(name, query).rows.map((row) => "body" in row ? row.body : row.value);
  return { db, file, add, values };
}

const from = (service: string) => ({ "service.name": { value: service } });
const logs = (service: string, ...bodies: string[]): TestItem => [
  "log",
  { items: bodies.map((body) => ({ body, attributes: from(service) })) },
];
const keyOf = (file: InboxFile, name: string) =>
  file.lists.applications({}).rows.find((row) => row.name === name)!.key;

Deno.test("body of three resources → rows of each have its application; one envelope", () => {
  const { db, file, add, values } = start();
  add([logs("cart", "a", "b"), span(1, { attributes: from("cart") })], [logs("pay", "c")], [
    logs("cart", "d"),
    span(1, { attributes: from("cart") }),
  ]);
  add([logs("pay", "e")]);
  const [cart, pay] = [keyOf(file, "cart"), keyOf(file, "pay")];
  assert.deepEqual(values("logs", { application: cart }), ["d", "b", "a"]);
  assert.deepEqual(values("logs", { application: pay }), ["e", "c"]);
  const ids = (query: ListQuery) => file.lists.page("envelopes", query).rows.map(({ id }) => id);
  assert.deepEqual([ids({}), ids({ application: cart }), ids({ application: pay })], [
    [2, 1],
    [1],
    [2, 1],
  ]);
  assert.deepEqual(ids({ trace: hexId(1) }), [1]);
  assert.deepEqual(ids({ q: "d" }), [1], "found by a later resource");
  const rows = file.lists.page("envelopes", {}).rows;
  assert.equal(rows[1]!.summary!.logs, 4);
  assert.deepEqual(rows.map(({ applications }) => applications), [[pay], [cart, pay]]);
  const [row] = file.lists.page("traces", {}).rows;
  assert.deepEqual([row?.spans, row?.applications], [2, [cart]]);
  file.delete(0, 1);
  assert.deepEqual(file.lists.applications({}).rows.map(({ name }) => name), ["pay"]);
  assert.deepEqual(values("logs", {}), ["e"]);
  const left = db.prepare("SELECT count(*) AS n FROM envelope_entries").get()!;
  assert.equal(left.n, 1);
});

Deno.test("application of one resource becomes known → only its rows are moved", () => {
  const { file, add, values } = start();
  const release = (name: string) => ({ release: `${name}@1` });
  add(
    [error("of cart", undefined, release("cart"))],
    [error("of pay", undefined, release("pay")), error("of pay 2", undefined, release("pay"))],
  );
  add([["log", {
    items: [{
      body: "x",
      attributes: { ...from("checkout"), "sentry.release": { value: "cart@1" } },
    }],
  }]]);
  // The error's sender was named for its release until a log named its service.
  while (file.index.senders.hasMoves()) file.index.senders.moveSome();
  assert.deepEqual(values("occurrences", { application: keyOf(file, "checkout") }), ["of cart"]);
  assert.deepEqual(values("occurrences", { application: keyOf(file, "pay") }), [
    "of pay 2",
    "of pay",
  ]);
});
