import assert from "node:assert/strict";
import { clocksNotCorrected } from "../../monitoring/models/trace/span_times.ts";
import { readTrace } from "../../monitoring/models/trace/trace.ts";
import { spanOf } from "../../monitoring/models/trace/testdata/spans.ts";
import type { ApplicationRow } from "../../monitoring/models/application_rows.ts";
import { statusOf, traceWarnings } from "./TraceHeader.tsx";

const plain = readTrace({ spans: [], marks: [] }).summary;
const warnings = (change: Partial<typeof plain>) =>
  traceWarnings({ ...plain, ...change }).map((line) => line.replaceAll("\u00a0", " "));

Deno.test("data of a trace with problems → one warning each; without → none", () => {
  assert.deepEqual(warnings({}), []);
  const texts = [
    ...warnings({ skew_ms: 3000, skewed: 2, browser: 1 }),
    ...warnings({ skew_ms: -2000, skewed: 1 }),
  ];
  assert.match(
    texts[0]!,
    /from the page's, by up to 3\.00 s: those of 2 applications are corrected/,
  );
  assert.match(texts[1]!, /from the first server's, by up to 2\.00 s: those of 1 application/);
  assert.match(warnings({ duplicates: 3 })[0] ?? "", /3 spans received more than once/);
});

Deno.test("root that is ok, errors or failed spans elsewhere → not ok; its HTTP status is shown", () => {
  const shown = (
    { code, ...span }: { code?: number; status?: string; failed?: boolean },
    of: { hasFailed?: boolean; failed?: number } = {},
  ) => {
    const attributes: Record<string, number> = code === undefined
      ? {}
      : { "http.response.status_code": code };
    const found = statusOf(
      { status: "ok", failed: false, ...span, attributes },
      { hasFailed: false, failed: 0, ...of },
    );
    return found && `${found.hasFailed ? "x " : ""}${found.text}`;
  };
  assert.equal(shown({}), "ok");
  assert.equal(shown({}, { hasFailed: true }), "x failed");
  assert.equal(shown({}, { failed: 1 }), null);
  assert.equal(shown({ code: 200 }, { hasFailed: true }), "200");
  assert.equal(shown({ code: 500 }), "x 500");
  assert.equal(
    shown({ status: "internal_error", failed: true }, { hasFailed: true }),
    "x internal_error",
  );
});

Deno.test("task of a server whose clock is ahead, by no request → its clock is named", () => {
  const of = (key: string, clock_ms: number, rest = {}) =>
    ({ key, name: key, side: "server", clock_ms, ...rest }) as ApplicationRow;
  const server = (application: string, op: string) =>
    ({ application, op, side: "server" }) as const;
  const spans = [
    spanOf("page", null, 0, 2000),
    spanOf("answer", "page", -7_200_000, -7_199_000, server("api", "http.server")),
    spanOf("call", "answer", -7_199_900, -7_199_800, server("api", "http.client")),
    spanOf("print", "call", 540_200, 540_300, server("worker", "queue.process")),
  ];
  const applications = [
    of("api", -7_200_000),
    of("worker", 540_000),
    of("other", 540_000),
    of("web", 540_000, { side: "browser" }),
  ];
  const clocks = (shown: typeof spans) =>
    traceWarnings(
      plain,
      "",
      clocksNotCorrected(readTrace({ spans: shown, marks: [] }), applications),
    )
      .map((line) => line.replaceAll("\u00a0", " "));
  assert.deepEqual(clocks(spans), [
    "The clock of worker is 9 min 00 s ahead." +
    " Its times are as sent: nothing in this trace shows by how much to correct them.",
  ]);
  assert.deepEqual(clocks(spans.slice(0, 3)), [], "a request shows it");
  assert.deepEqual(clocks(spans.slice(3)), [], "one application");
});
