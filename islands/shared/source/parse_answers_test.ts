import assert from "node:assert/strict";
import fc from "fast-check";
import { parseAlert, parseEnvelopePage, parsePage, parseRefusals } from "./parse_answers.ts";
import type { Lists } from "../../../monitoring/models/rows.ts";

const rows: { readonly [Name in keyof Lists]: Lists[Name] } = {
  traces: {
    trace_id: "a".repeat(32),
    name: "GET /",
    op: null,
    started_at: 1.5,
    ended_at: null,
    spans: 2,
    errors: 0,
    logs: 0,
    failed: true,
    http_status: 503,
    replay_id: null,
    received_at: 2,
    sources: ["sightglass"],
  },
  errors: {
    group: "0a",
    type: "Error",
    value: "<b>no</b>",
    where: null,
    level: "error",
    handled: null,
    count: 1,
    first_seen: 1,
    last_seen: 2,
    chart: [1, 0],
    chart_from: 1,
    chart_to: 2,
    envelope: 3,
    trace_id: null,
    source: "sightglass",
    state: "open",
    regression: { release: "shop@2", resolved_in: null },
  },
  occurrences: {
    group: "0a",
    type: "Error",
    where: null,
    source: "sightglass",
    envelope: 3,
    event_id: null,
    at: 1,
    value: "no",
    trace_id: null,
    replay_id: null,
  },
  logs: {
    envelope: 3,
    index: 0,
    at: 1,
    level: "warn",
    body: "hello",
    attributes: { a: 1, b: "two", c: true },
    trace_id: null,
    span_id: null,
    source: "sightglass",
  },
  pages: {
    page: "/",
    source: "sightglass",
    loads: 2,
    lcp: 1.5,
    inp: null,
    cls: 0,
    fcp: 3,
    ttfb: 4,
  },
  recordings: {
    replay_id: "e".repeat(32),
    kind: "page",
    page: "https://shop.example/",
    started_at: 1,
    ended_at: 2,
    segments: 3,
    missing: 1,
    doubled: 0,
    errors: 0,
    bytes: 10,
    source: "sightglass",
  },
};
const names = Object.keys(rows) as (keyof Lists)[];

for (const name of names) {
  Deno.test(`row of ${name} with an unknown property → property dropped`, () => {
    const answer = { rows: [{ ...rows[name], html: "<script>" }], next: "12" };
    assert.deepEqual(parsePage(name, answer), { rows: [rows[name]], next: "12" });
  });

  Deno.test(`row of ${name} with a missing or invalid property → dropped`, () => {
    for (const attribute of Object.keys(rows[name])) {
      for (const wrong of [undefined, [[]], { toString: "no" }]) {
        // Only the attributes of a log may be an object.
        const broken = { ...rows[name], [attribute]: wrong };
        const page = parsePage(name, { rows: [broken, rows[name]], next: null });
        const kept = attribute === "attributes" && wrong !== undefined && !Array.isArray(wrong);
        assert.equal(page.rows.length, kept ? 2 : 1, `${attribute} as ${JSON.stringify(wrong)}`);
      }
    }
  });
}

Deno.test("any response → valid rows, or an error for display", () => {
  fc.assert(fc.property(fc.constantFrom(...names), fc.anything(), (name, answer) => {
    try {
      assert.deepEqual(parsePage(name, answer).rows.filter((row) => typeof row !== "object"), []);
    } catch (error) {
      assert.ok(
        error instanceof TypeError && error.message.startsWith("The inbox did not answer with"),
      );
    }
  }));
});

Deno.test("refused request with a missing or invalid property → dropped", () => {
  const row = {
    at: "2026-11-22T14:03:11.000Z",
    error: "dsn_not_allowed",
    detail: "<b>no</b>",
    origin: null,
    address: "/stream",
    user_agent: null,
  };
  const broken = Object.keys(row).map((name) => ({ ...row, [name]: [] }));
  const rows = [{ ...row, html: "<b>" }, ...broken, { ...row, at: "yesterday" }];
  assert.deepEqual(parseRefusals({ rows, next: null }), [row]);
});

Deno.test("alert with a missing or invalid property → undefined", () => {
  const alert = {
    kind: "new",
    group: "0a",
    type: "<b>no</b>",
    message: "",
    release: null,
    environment: null,
    source: "shop",
  };
  assert.deepEqual(parseAlert({ ...alert, html: "<b>" }), alert);
  for (const name of Object.keys(alert)) {
    assert.equal(parseAlert({ ...alert, [name]: 1 }), undefined);
  }
});

Deno.test("invalid envelope → dropped", () => {
  const row = {
    id: 1,
    received_at: 2,
    event_id: null,
    trace_ids: [],
    replay_id: null,
    bytes: 3,
    items: [{ type: "event", bytes: 4 }],
    content_encoding: null,
    source: null,
  };
  assert.deepEqual(
    parseEnvelopePage({ rows: [row, null, { ...row, id: "1" }], next: null }),
    { rows: [row], next: null },
  );
});
