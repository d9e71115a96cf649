import assert from "node:assert/strict";
import type { LogRow } from "../../monitoring/models/log_row.ts";
import { matches, parseQuery } from "../../monitoring/models/query/query.ts";
import { searchedLog } from "../../monitoring/models/query/searched.ts";
import { filtersOf, patternsOf } from "./LogPatterns.tsx";

const log = (body: string, level: LogRow["level"] = "info", application = "api") =>
  ({ body, level, application, envelope: 1, index: 0, at: 1, attributes: {} }) as LogRow;

Deno.test("messages that differ in values → one pattern, with a text that all have; levels apart", () => {
  const patterns = patternsOf([
    log("Charged 27 EUR for order 7"),
    log("Started"),
    log("Charged 30 EUR for order 8", "info", "worker"),
    log("Charged 1 EUR for order 9", "warn"),
  ]);
  assert.deepEqual(
    patterns.map(({ count, newest, text, search, applications }) => [
      count,
      newest.level,
      text,
      search,
      applications,
    ]),
    [
      [2, "info", "Charged … EUR for order …", '"Charged" "EUR for order"', ["api", "worker"]],
      [1, "info", "Started", 'message:"Started"', ["api"]],
      [1, "warn", "Charged 1 EUR for order 9", 'message:"Charged 1 EUR for order 9"', ["api"]],
    ],
  );
});

Deno.test("logs of a pattern → of its level alone, within the search", () => {
  const [info, fatal] = patternsOf([log("Charged 1"), log("Charged 2"), log("Down", "fatal")]);
  assert.deepEqual(filtersOf(info!, "cart:5"), {
    level: "info",
    q: 'cart:5 "Charged" -level:warn',
  });
  assert.deepEqual(filtersOf(fatal!, null), { level: "fatal", q: 'message:"Down"' });
});

Deno.test("any logs of a level → a pattern's search finds its logs, not those with other words", () => {
  const all = [
    ...["Charged 7 EUR for order 1", "Charged 9 EUR for order 2", "Refunded 7 EUR for order 1"],
    ...["接続 1 失敗", "接続 2 失敗", "one\nline 5", "one\nline 6", "17", "18"],
    ...["OK", "OK", "", "---", "🙂", "🙂", 'say "hi"', "Started", "Started server"],
  ].map((body) => log(body));
  const found = (search: string) =>
    all.filter((one) => matches(parseQuery(search), searchedLog(one))).length;
  const counts = patternsOf(all).map((
    { text, count, search },
  ) => [text, count, search && found(search)]);
  assert.deepEqual(counts.filter(([, count, found]) => count !== found), [["…", 2, ""]]);
});

Deno.test("… only where the messages differ: not for a slash, a number or a long beginning that all have", () => {
  const long = "word ".repeat(130);
  for (
    const [one, other, text] of [
      ["Disk I/O error 5 times", "Disk I/O error 6 times", "Disk I/O error … times"],
      ["http2 on port 8080", "http2 on port 8081", "http2 on port …"],
      [`${long}was accepted`, `${long}was REJECTED`, `${long.slice(0, 500)}…`],
    ] as const
  ) assert.deepEqual(patternsOf([log(one), log(other)]).map(({ text }) => text), [text]);
  const routes = [
    "GET /api/cart took 5 ms",
    "GET /api/cart took 7 ms",
    "GET /api/orders took 5 ms",
  ];
  assert.deepEqual(patternsOf(routes.map((body) => log(body))).map(({ text }) => text), [
    "GET /api/cart took … ms",
    "GET /api/orders took 5 ms",
  ]);
});
