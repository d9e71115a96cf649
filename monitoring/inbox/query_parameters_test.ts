import assert from "node:assert/strict";
import { ParameterError, readListParameters, readParameters } from "./query_parameters.ts";

const read = (query: string) => readParameters(new URLSearchParams(query), null);

/** Asserts that a query is refused by a message that names the parameter. */
function refuses(query: string, parameter: string): void {
  assert.throws(
    () => read(query),
    (error) =>
      error instanceof ParameterError && error.parameter === parameter &&
      error.message.startsWith(`${parameter} must be `),
    query,
  );
}

/** Without what is not given. */
const given = (values: object) => JSON.parse(JSON.stringify(values));

Deno.test("query → values; limit over 500 or none → 500; unknown parameters ignored", () => {
  assert.deepEqual(given(read("")), { since: 0, limit: 500 });
  const parameters = read("since=12&type=replay_event&limit=3&colour=red");
  assert.deepEqual(given(parameters), { since: 12, type: "replay_event", limit: 3 });
  for (const limit of [500, 501, 9007199254740991]) assert.equal(read(`limit=${limit}`).limit, 500);
  assert.equal(read("id=7").id, 7);
});

Deno.test("invalid parameter → refused with its name", () => {
  for (const value of ["", "-1", "1.5", "1e3", "0x10", " 1", "9007199254740992", "x", "1,2"]) {
    refuses(`since=${value}`, "since");
    refuses(`limit=${value}`, "limit");
    refuses(`id=${value}`, "id");
  }
  refuses("limit=0", "limit");
  refuses("id=0", "id");
  refuses("type=", "type");
  refuses(`type=${"x".repeat(65)}`, "type");
  refuses("type=a%00b", "type");
  refuses("since=1&since=2", "since");
});

const NOW = 1_795_262_400_000;
const view = (query: string) => readListParameters(new URLSearchParams(query), NOW);

Deno.test("list query → filters; missing ones are not set", () => {
  assert.deepEqual(given(view("view=logs")), { view: "logs", query: { now: NOW, limit: 200 } });
  const trace = "e".repeat(32);
  const full = view(
    `view=errors&q=a%25_'b&trace=${trace.toUpperCase()}&replay=${trace}&group=0123456789abcd&envelope=3&type=span&level=warn` +
      "&handled=false&state=muted&application=0123456789abcd&release=shop%401&since=1000&until=10m" +
      "&sort=-first_seen&environment=test&status=5xx&op=http.server&name=GET+%2F&preflights=true&page=%2F&of=logs" +
      "&model=m&conversation=c" +
      "&before=12.34&limit=7&colour=red",
  );
  assert.deepEqual(given(full), {
    view: "errors",
    query: {
      q: "a%_'b",
      trace,
      replay: trace,
      group: "0123456789abcd",
      envelope: 3,
      type: "span",
      level: "warn",
      handled: false,
      state: "muted",
      application: "0123456789abcd",
      release: "shop@1",
      environment: "test",
      status: "5xx",
      op: "http.server",
      name: "GET /",
      preflights: true,
      of: "logs",
      model: "m",
      conversation: "c",
      page: "/",
      since: 1_000,
      until: NOW - 600_000,
      now: NOW,
      sort: "-first_seen",
      before: "12.34",
      limit: 7,
    },
  });
  assert.equal(view("view=traces&limit=9999&q=").query.limit, 200);
  assert.equal(view("view=applications&application=apps").query.application, "apps");
  const ages = ["30s", "10m", "2h", "7d"].map((since) =>
    view(`view=logs&since=${since}`).query.since
  );
  assert.deepEqual(ages, [30_000, 600_000, 7_200_000, 604_800_000].map((ms) => NOW - ms));
});

Deno.test("invalid list parameter → refused with its name", () => {
  const wrong: Record<string, readonly string[]> = {
    view: ["", "trace", "constructor", "traces&view=logs"],
    q: ["x".repeat(1_001), "a&q=b"],
    trace: ["", "x", "0".repeat(32), "a".repeat(33)],
    group: ["", "x", "0123456789ABCD", "0123456789abcde"],
    type: ["", "x".repeat(65)],
    level: ["", "warning", "WARN"],
    handled: ["", "1", "TRUE"],
    application: ["", "x", "own", "0123456789ABCD"],
    release: ["", "x".repeat(1_002)],
    since: ["", "x", "-1", "10y", "1.5h", "10m&since=1h"],
    until: ["", "m", "1e3"],
    environment: ["", "x".repeat(1_002)],
    status: ["", "500", "OK"],
    op: ["", "a&op=b"],
    name: ["", "x".repeat(1_002)],
    preflights: ["", "1"],
    of: ["", "pages", "constructor"],
    page: ["", "x".repeat(1_002)],
    monitor: ["", "x".repeat(1_002)],
    sort: ["", "newest", "constructor", "--count", "-slowest"],
    before: ["", "5", "1.2.3.4.5", "-1.2", "9.5", "1.2.x"],
    limit: ["0", "-1", "x"],
  };
  const views =
    "traces, errors, occurrences, logs, pages, endpoints, queries, recordings, profiles, feedback, ai_runs, ai_sums," +
    " monitors, runs, metrics, envelopes, applications, histogram, trace, error, recording, profile, metric," +
    " endpoint, envelope, refusals";
  assert.throws(() => view("view=x"), { message: `view must be one of ${views}.` });
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const query = name === "view" ? `view=${value}` : `view=traces&${name}=${value}`;
      assert.throws(
        () => view(query),
        (error) => error instanceof ParameterError && error.parameter === name,
        query,
      );
    }
  }
});
