import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { oddities, Summary } from "./Summary.tsx";

const plain: TraceSummary = {
  name: "/",
  duration_ms: 1240,
  spans: 3,
  browser: 2,
  server: 1,
  failed: 0,
  errors: 0,
  logs: 2,
  unended: 0,
  open: 0,
  missing: 0,
  circles: 0,
  duplicates: 0,
  skew_ms: 0,
};

const text = (summary: Partial<TraceSummary>) =>
  renderToStaticMarkup(<Summary summary={{ ...plain, ...summary }} startedAt={0} />)
    .replace(/<[^>]*>/g, " ").replace(/[\s\u00a0]+/g, " ");

Deno.test("the facts of a trace stand in a line, and where all is well nothing else does", () => {
  assert.match(text({}), /1\.24 s.*3 spans: 2 in the browser, 1 on the server.*0 errors.*2 logs/);
  assert.deepEqual(oddities(plain), []);
});

Deno.test("a clock that was set right is told, with how far and to which side it was wrong", () => {
  assert.match(oddities({ ...plain, skew_ms: 630 })[0] ?? "", /630\u00a0ms behind the browser's/);
  assert.match(
    oddities({ ...plain, skew_ms: -2000 })[0] ?? "",
    /2\.00\u00a0s ahead of the browser's/,
  );
});

Deno.test("what is missing, broken, double or without an end is told each by itself", () => {
  const told = oddities({ ...plain, unended: 1, missing: 2, circles: 1, duplicates: 3 });
  assert.deepEqual(told.map((line) => line.replaceAll("\u00a0", " ")), [
    "1 span came without an end, and is drawn to the trace's end.",
    "2 parents did not arrive.",
    "1 circle of parents is broken.",
    "3 spans came more than once; each is shown once.",
  ]);
});

Deno.test("in relay mode the server's half is elsewhere, and that is said", () => {
  assert.deepEqual(
    oddities({ ...plain, missing: 1 }, "visit").map((line) => line.replaceAll("\u00a0", " ")),
    ["1 parent is not of this visit: the server sends its own."],
  );
});

Deno.test("spans under way are called live, not lost", () => {
  assert.match(text({ open: 1 }), /live: 1 span under way/);
});
