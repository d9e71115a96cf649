import assert from "node:assert/strict";
import { isOfSdk, readBreadcrumbs } from "./breadcrumbs.ts";

const AT = 1_790_000_000_000;
const crumb = (message: string, timestamp?: unknown) => ({ message, timestamp });
const messages = (breadcrumbs: unknown) =>
  readBreadcrumbs({ breadcrumbs }, AT).shown.map(({ message }) => message);

Deno.test("breadcrumbs in any order → sorted by time", () => {
  const second = AT / 1000;
  const values = [crumb("b", second - 1), crumb("c", second), crumb("a", second - 5)];
  assert.deepEqual(messages(values), ["a", "b", "c"]);
  assert.deepEqual(messages({ values }), ["a", "b", "c"]);
  const { shown: [first] } = readBreadcrumbs({ breadcrumbs: values }, AT);
  assert.deepEqual([first?.at, first?.offset], [AT - 5_000, -5_000]);
});

Deno.test("breadcrumb without a time → after the preceding one", () => {
  const values = [
    crumb("none"),
    crumb("late", AT / 1000),
    crumb("after late", "never"),
    crumb("early", AT / 1000 - 9),
    crumb("after early", NaN),
  ];
  assert.deepEqual(messages(values), ["none", "early", "after early", "late", "after late"]);
});

Deno.test("breadcrumb times after the error or decades earlier → unchanged", () => {
  const { shown } = readBreadcrumbs({
    breadcrumbs: [crumb("future", "2999-01-01T00:00:00Z"), crumb("past", 0)],
  }, AT);
  assert.deepEqual(shown.map(({ offset }) => Math.sign(offset ?? NaN)), [-1, 1]);
  const [past] = readBreadcrumbs({ breadcrumbs: [crumb("past", 0)] }, null).shown;
  assert.deepEqual([past?.at, past?.offset], [0, null]);
});

Deno.test("too many breadcrumbs → newest kept; not a breadcrumb → empty one", () => {
  const many = Array.from({ length: 1_000 }, (_, n) => crumb(String(n), n));
  const { shown, more } = readBreadcrumbs({ breadcrumbs: many.toReversed() }, AT);
  assert.equal(shown.at(-1)?.message, "999");
  assert.equal(shown.length + more, 1_000);
  assert.ok(more > 0);
  assert.deepEqual(messages([null, 5, "text"]), ["", "", ""]);
  assert.deepEqual(messages("none"), []);
});

Deno.test("category sentry.… → the SDK's own; others → the application's", () => {
  const own = ["sentry.event", "sentry.transaction"];
  const others = ["sentry", "sentry-lib", "my.sentry.event", "http", ""];
  const { shown } = readBreadcrumbs({
    breadcrumbs: [...own, ...others].map((category) => ({ category })),
  }, AT);
  assert.deepEqual(shown.filter(isOfSdk).map(({ category }) => category), own);
});

Deno.test("breadcrumb → category, level and data as sent", () => {
  const data = { url: "/a", status_code: 503, nested: { a: 1 } };
  const { shown: [first, second] } = readBreadcrumbs({
    breadcrumbs: [
      { category: "fetch", level: "warning", data },
      { type: "navigation" },
    ],
  }, AT);
  const nested = '{\n  "a": 1\n}';
  assert.deepEqual(first?.data, [["url", "/a"], ["status_code", "503"], ["nested", nested]]);
  assert.deepEqual([first?.category, first?.level], ["fetch", "warning"]);
  assert.deepEqual([second?.category, second?.level], ["navigation", "info"]);
});
