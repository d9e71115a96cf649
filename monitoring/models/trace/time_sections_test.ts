import assert from "node:assert/strict";
import { readTrace } from "./trace.ts";
import { mainSection, sectionDuring } from "./time_sections.ts";
import { markOf, spanOf } from "./testdata/spans.ts";

const HOUR = 3_600_000;

/** Start, end and number of spans and errors of each section, and the start of the main one. */
function sections(spans: ReturnType<typeof spanOf>[], ...errors: (number | null)[]) {
  const trace = readTrace({ spans, marks: errors.map((at) => markOf(at)) });
  return {
    all: trace.sections.map((one) => [one.start_ms, one.end_ms, one.spans, one.errors]),
    main: mainSection(trace.sections).start_ms,
  };
}

const load = [
  spanOf("load", null, 0, 1000),
  spanOf("script", "load", 100, 300),
  spanOf("fetch", "load", 400, 700),
];

Deno.test("one span an hour later → a section of its own, the others are the main one", () => {
  const late = spanOf("late", "load", HOUR, HOUR + 50);
  assert.deepEqual(sections([...load, late]), {
    all: [[0, 1000, 3, 0], [HOUR, HOUR + 50, 1, 0]],
    main: 0,
  });
  assert.deepEqual(sections([spanOf("early", null, -HOUR, 1 - HOUR), ...load]), {
    all: [[-HOUR, 1 - HOUR, 1, 0], [0, 1000, 3, 0]],
    main: 0,
  });
});

Deno.test("gaps of a few seconds → one section", () => {
  const click = spanOf("click", null, 9_000, 9_100);
  assert.deepEqual(sections([...load, click], 60_000).all, [[0, 60_000, 4, 1]]);
});

Deno.test("span that covers the gap → one section; lost end of a span covers none", () => {
  const late = spanOf("late", null, HOUR, HOUR + 50);
  const socket = (end: number | null) => spanOf("socket", null, 500, end);
  assert.deepEqual(sections([...load, late, socket(HOUR + 9)]).all, [[0, HOUR + 50, 5, 0]]);
  assert.equal(sections([...load, late, socket(null)]).all.length, 2);
});

Deno.test("parent that was not received, of children an hour apart → does not cover the gap", () => {
  const children = [spanOf("a", "lost", 0, 100), spanOf("b", "lost", HOUR, HOUR + 10)];
  assert.equal(sections(children).all.length, 2);
});

Deno.test("only errors → sections; the one with the most is the main one", () => {
  assert.deepEqual(sections([], 0, HOUR, HOUR + 200, null), {
    all: [[0, 0, 0, 1], [HOUR, HOUR + 200, 0, 2]],
    main: HOUR,
  });
});

Deno.test("time in a trace of several runs → the roots during it with their spans, or null", () => {
  const later = [spanOf("run", null, HOUR, HOUR + 50), spanOf("query", "run", HOUR, HOUR + 9)];
  const lost = spanOf("lost", null, 10, null);
  const during = (start_ms: number, spans = [...load, lost, ...later]) => {
    const { tree, times } = readTrace({ spans, marks: [] });
    return sectionDuring(tree, times, { start_ms, end_ms: start_ms + 60 });
  };
  assert.deepEqual(during(HOUR - 5), {
    ...{ start_ms: HOUR - 5, end_ms: HOUR + 55, duration_ms: 60, spans: 2, failed: 0 },
  });
  assert.equal(during(500)?.spans, 3);
  assert.equal(during(500, load), undefined);
  assert.equal(during(9_000), null);
});

Deno.test("empty trace → one section", () => {
  assert.deepEqual(sections([]), { all: [[0, 0, 0, 0]], main: 0 });
});

Deno.test("10,000 points a minute apart → bounded time", () => {
  const spans = Array.from({ length: 10_000 }, (_, n) => spanOf(`${n}`, null, n * 60_000, null));
  assert.equal(sections(spans).all.length, 10_000);
});
