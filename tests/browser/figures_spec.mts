/** One inbox of 3,000 envelopes: a figure that is shown in two places is the same in both. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { formatFigure } from "../../islands/metrics/metric_words.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { busyShop } from "../harness/busy_shop.ts";
import { expect, listRows, test as withServer } from "../harness/browser/fixtures.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { watchProcess } from "../harness/watched_process.ts";
import { projectRoot } from "../../tools/project_files.ts";

// deno-lint-ignore no-explicit-any -- JSON of known shape
type Json = any;

/** As many as the issue's shop has; of fewer rows than a list counts. */
const ENVELOPES = 3_000;
const CONCURRENT = 20;
/** A page of the HTTP interface, and one of an assistant's lists. */
const HTTP_ROWS = 200;
const TOOL_ROWS = 100;

interface Seeded {
  readonly server: ServerProcess;
  /** All rows of a list over its pages. */
  rows(query: string): Promise<Json[]>;
  /** All rows of an assistant's list over its pages. */
  toolRows(tool: string, args?: Record<string, unknown>): Promise<Json[]>;
  ask(tool: string, args?: Record<string, unknown>): Promise<Json>;
  /** The rows of this kind that `deno task tail --json` has printed. */
  tailed(
    kind: "error" | "log" | "trace" | "run" | "ai" | "profile" | "feedback" | "metrics",
  ): Json[];
}

const test = withServer.extend<object, { seeded: Seeded }>({
  seeded: [async ({ browser: _ }, provide) => {
    await using server = await startServer();
    const args = ["task", "tail", "--json", `--url=${server.origin}`];
    const tail = watchProcess(args, { cwd: projectRoot, env: { NO_COLOR: "1" } });
    await tail.printed(/Following /);
    const waiting = busyShop(ENVELOPES, Date.now());
    await Promise.all(Array.from({ length: CONCURRENT }, async () => {
      for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
        const answer = await fetch(`${server.origin}/api/1/envelope/`, { method: "POST", body });
        expect(answer.status, await answer.text()).toBe(200);
      }
    }));
    const client = new Client({ name: "test", version: "1" });
    const address = new URL("/monitoring/mcp", server.origin);
    await client.connect(new StreamableHTTPClientTransport(address));
    const ask: Seeded["ask"] = async (name, args) => {
      const { text = "" } = (await client.callTool({ name, arguments: args })).content[0] as Json;
      return JSON.parse(/^<untrusted-telemetry.*>\n(.*)\n</m.exec(text)?.[1] ?? `"${text}"`);
    };
    const allPages = async (read: (before: object) => Promise<Json>) => {
      const rows: Json[] = [];
      for (let page: Json = {}; page.next !== null; rows.push(...page.rows)) {
        page = await read(page.next ? { before: page.next } : {});
      }
      return rows;
    };
    await provide({
      server,
      ask,
      tailed: (kind) =>
        tail.text().split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"))
          .map((line) => JSON.parse(line)).filter((row) => row.kind === kind),
      rows: (query) =>
        allPages(async (before) => {
          const list = new URLSearchParams(`view=${query}`);
          const all = { application: "apps", ...Object.fromEntries(list), ...before };
          const rest = new URLSearchParams({ limit: `${HTTP_ROWS}`, ...all });
          return await (await fetch(`${server.origin}/monitoring/inbox?${rest}`)).json();
        }),
      toolRows: (tool, args) =>
        allPages((before) => ask(tool, { limit: TOOL_ROWS, ...args, ...before })),
    });
    await client.close();
    tail.process.kill("SIGTERM");
    await tail.closed;
  }, { scope: "worker", timeout: 300_000 }],
  server: async ({ seeded }, provide) => await provide(seeded.server),
});

/** A busy machine takes minutes to print thousands of envelopes. */
const WHILE_TAILED = { timeout: 240_000 };

test.describe.configure({ mode: "default" });
test.use({ viewport: { width: 1440, height: 1800 } });

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const countOf = (rows: readonly Json[], is: (row: Json) => boolean) => rows.filter(is).length;
/** A number as the page writes it, not part of another. */
const shown = (count: number, word?: string) =>
  new RegExp(`(?<![\\d,.])${count.toLocaleString("en")}${word ? `\\s${word}` : "$"}`);

const LISTS = [
  {
    list: "traces",
    tool: "list_traces",
    word: "traces",
    failed: (row: Json) => row.failed,
    failure: "failed",
  },
  {
    list: "logs",
    tool: "search_logs",
    word: "logs",
    failed: (row: Json) => row.level === "warn",
    failure: "warn",
  },
] as const;

for (const { list, tool, word, failed, failure } of LISTS) {
  test(`${list} → as many in page, overview, histogram, counts, rows and for assistants`, async ({ page, seeded }) => {
    const rows = await seeded.rows(list);
    const fromTool = await seeded.toolRows(tool);
    expect(fromTool.length).toBe(rows.length);
    const failures = countOf(rows, failed);
    expect(failures).toBeGreaterThan(0);
    const histogram = await read(seeded.server, `histogram&of=${list}`);
    expect(sum(histogram.parts.map(({ count }: Json) => count))).toBe(rows.length);
    const { counts } = await read(seeded.server, "applications");
    expect(counts[list]).toBe(rows.length);

    await page.goto(`/#/${list}`);
    const view = page.locator("section.view:visible");
    await expect(view).toContainText(shown(rows.length, word));
    await expect(view).toContainText(shown(failures, failure));
    if (list === "traces") {
      const tailed = () => new Set(seeded.tailed("trace").map((row) => row.trace_id)).size;
      await expect.poll(tailed, WHILE_TAILED).toBe(rows.length);
    } else {
      await expect.poll(() => seeded.tailed("log").length, WHILE_TAILED).toBe(rows.length);
      expect(countOf(seeded.tailed("log"), failed)).toBe(failures);
      return;
    }
    await page.goto("/#/overview");
    await expect(view).toContainText(shown(rows.length, word));
    await expect(view).toContainText(shown(failures, failure));
  });
}

test("errors → as many in page, overview, histogram, groups, each application and for assistants", async ({ page, seeded }) => {
  const events = await seeded.rows("occurrences");
  const groups = await seeded.rows("errors");
  expect(sum(groups.map(({ count }) => count))).toBe(events.length);
  const unhandled = sum((await seeded.rows("errors&handled=false")).map(({ count }) => count));
  const histogram = await read(seeded.server, "histogram&of=errors");
  expect(sum(histogram.parts.map(({ count }: Json) => count))).toBe(events.length);
  expect(sum(histogram.parts.map(({ failures }: Json) => failures))).toBe(unhandled);
  await expect.poll(() => seeded.tailed("error").length, WHILE_TAILED).toBe(events.length);
  expect(countOf(seeded.tailed("error"), ({ handled }) => handled === false)).toBe(unhandled);
  const facts = (rows: Json[]) => rows.map(({ group, count }) => [group, count]).sort();
  expect(facts(await seeded.toolRows("list_errors"))).toEqual(facts(groups));

  await page.goto("/#/errors");
  const view = page.locator("section.view:visible");
  await expect(view).toContainText(shown(events.length, "errors"));
  await expect(view).toContainText(shown(unhandled, "unhandled"));
  for (const { group, count } of groups) {
    const row = page.locator(`tr:has([data-row="${group}"])`);
    await expect(row).toContainText(new RegExp(`(?<!\\d)${count}(?!\\d)`));
    expect((await seeded.ask("get_error", { group })).count).toBe(count);
  }
  await page.goto("/#/overview");
  await expect(view).toContainText(shown(events.length, "errors"));
  await expect(view).toContainText(shown(unhandled, "unhandled"));
  const applications = page.getByRole("region", { name: "Applications" }).getByRole("row");
  for (const { key, environment } of await listRows(seeded.server.origin, "applications")) {
    if (environment === null) continue;
    const own = sum((await seeded.rows(`errors&application=${key}`)).map(({ count }) => count));
    expect(countOf(events, ({ application }) => application === key)).toBe(own);
    const row = applications.filter({ has: page.locator(`a[href*="application=${key}"]`) });
    await expect(row.locator(".failures")).toContainText(shown(own, "open errors?"));
  }
});

test("name, duration and counts of a trace → the same in list, detail and for assistants", async ({ page, seeded }) => {
  const rows = (await seeded.rows("traces&sort=duration")).slice(0, 5);
  const byTool = new Map((await seeded.toolRows("list_traces")).map((row) => [row.trace_id, row]));
  for (const row of rows) {
    const duration = formatDuration(row.ended_at - row.started_at);
    const { started_at, ended_at, spans } = byTool.get(row.trace_id);
    expect([Date.parse(started_at), Date.parse(ended_at), spans])
      .toEqual([Math.floor(row.started_at), Math.floor(row.ended_at), row.spans]);
    const tailed = seeded.tailed("trace").findLast(({ trace_id }) => trace_id === row.trace_id);
    expect([tailed?.op, tailed?.name, tailed?.started_at, tailed?.ended_at])
      .toEqual([row.op, row.name, row.started_at, row.ended_at]);
    const detail = await seeded.ask("get_trace", { trace_id: row.trace_id });
    expect(detail.spans).toHaveLength(row.spans);
    expect(formatDuration(detail.duration_ms)).toBe(duration);
    await page.goto("/#/traces?sort=duration");
    const line = page.locator(`tr:has([data-row="${row.trace_id}"])`);
    await expect(line).toContainText(displayName(row));
    await expect(line).toContainText(duration);
    await line.getByRole("link").first().click();
    const head = page.locator(".detail-pane:visible");
    await expect(head).toContainText(displayName(row));
    await expect(head).toContainText(duration);
    await expect(head).toContainText(shown(row.spans, "spans"));
  }
});

test("recordings → the same figures in counts, list, detail and errors", async ({ page, seeded }) => {
  const rows = await seeded.rows("recordings");
  expect((await read(seeded.server, "applications")).counts.recordings).toBe(rows.length);
  const failed = rows.filter(({ errors }) => errors > 0);
  expect(failed.length).toBeGreaterThan(0);
  for (const row of [rows[0], failed[0]]) {
    const address = `${seeded.server.origin}/monitoring/inbox?view=recording&id=${row.replay_id}`;
    const detail: Json = await (await fetch(address)).json();
    expect(detail).toMatchObject(row);
    expect(countOf(detail.events, ({ kind }) => kind === "error")).toBe(row.errors);
    expect(await seeded.rows(`occurrences&replay=${row.replay_id}`)).toHaveLength(row.errors);
    expect(await seeded.rows(`envelopes&replay=${row.replay_id}&type=replay_recording`))
      .toHaveLength(row.segments);
    const clock = formatClock(row.ended_at - row.started_at);
    await page.goto("/#/recordings");
    await expect(page.locator(".recordings table:visible"))
      .toHaveAttribute("aria-rowcount", `${rows.length + 1}`);
    await page.goto(`/#/recordings?q=${row.replay_id}`);
    const line = page.locator(`tr:has([data-row="${row.replay_id}"])`);
    const size = `${row.segments}\u00a0segments, ${formatBytes(row.bytes)}`;
    await expect(line).toContainText(clock);
    await expect(line.locator(".recording-marks .of-error")).toHaveCount(Math.min(1, row.errors));
    await line.getByRole("link").first().click();
    const detailPane = page.locator(".detail-pane:visible");
    await expect(detailPane).toContainText(size);
    await expect(detailPane).toContainText(`${clock} recorded`);
    await expect(detailPane).toContainText(shown(row.errors, "errors"));
    await expect(detailPane.locator(".events .of-error")).toHaveCount(row.errors);
  }
});

test("web vitals of a page → the same in overview and list, loads as many as its traces", async ({ page, seeded }) => {
  const rows = await seeded.rows("pages");
  expect(rows.length).toBeGreaterThan(1);
  const write = (name: string, value: number) =>
    name === "cls" ? value.toFixed(2) : formatDuration(value);
  for (const row of rows) {
    expect(await seeded.rows(`traces&page=${row.page}&application=${row.application}`))
      .toHaveLength(row.loads);
    for (const hash of ["overview", "traces/vitals"]) {
      await page.goto(`/#/${hash}`);
      const line = page.locator("section.view:visible tr", {
        has: page.getByRole("link", { name: row.page, exact: true }),
      });
      await expect(line).toContainText(row.loads.toLocaleString("en"));
      for (const name of ["lcp", "inp", "cls"]) {
        if (row[name].p75 === null) continue;
        await expect(line).toContainText(write(name, row[name].p75));
      }
    }
  }
});

test("envelopes → as many in counts, applications, rows and for assistants; sizes in list and detail", async ({ page, seeded }) => {
  const rows = await seeded.rows("envelopes");
  expect(rows.length).toBe(ENVELOPES);
  const { counts, rows: applications } = await read(seeded.server, "applications");
  expect(counts.envelopes).toBe(rows.length);
  for (const { key, envelopes } of applications) {
    if (key === "sightglass") continue;
    expect(countOf(rows, ({ application }) => application === key), key).toBe(envelopes);
    expect(await seeded.rows(`envelopes&application=${key}`)).toHaveLength(envelopes);
  }
  // Sightglass sends its own meanwhile.
  await expect(async () => {
    const { inbox, applications } = await seeded.ask("get_delivery_health");
    const { rows } = await read(seeded.server, "applications");
    const facts = (rows: Json[]) => rows.map(({ key, envelopes }) => [key, envelopes]).sort();
    expect(facts(applications)).toEqual(facts(rows));
    expect(sum(rows.map(({ envelopes }: Json) => envelopes))).toBe(inbox.envelopes);
  }).toPass();
  const [row] = rows;
  await page.goto("/#/envelopes");
  const line = page.locator(`tr:has([data-row="${row.id}"])`);
  await expect(line).toContainText(formatBytes(row.bytes));
  await line.getByRole("link").first().click();
  const detail = page.locator(".detail-pane:visible");
  await expect(detail).toContainText(`${formatBytes(row.bytes)}, not compressed`);
  const items = shown(row.items.length, "items?");
  await expect(detail.getByRole("heading", { name: items })).toBeVisible();
});

/** The values of these columns of rows, in one order. */
const facts = (rows: readonly Json[], ...columns: readonly string[]) =>
  rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).sort();

test("endpoints → the same in list, histogram, detail, overview, traces, queries and for assistants", async ({ page, seeded }) => {
  const rows = await seeded.rows("endpoints");
  const figures = ["application", "name", "op", "count", "failed", "median", "p95", "longest"];
  expect(facts(await seeded.toolRows("list_endpoints"), ...figures))
    .toEqual(facts(rows, ...figures));
  const sides = rows.flatMap((row) => [row, ...row.before ? [row.before] : []]);
  expect(sides.length).toBeGreaterThan(rows.length);
  const runs = sum(sides.map(({ count }) => count));
  const failed = sum(sides.map(({ failed }) => failed));
  const histogram = await read(seeded.server, "histogram&of=endpoints");
  expect(sum(histogram.parts.map(({ count }: Json) => count))).toBe(runs);
  expect(sum(histogram.parts.map(({ failures }: Json) => failures))).toBe(failed);
  const queries = await seeded.rows("queries");
  const view = page.locator("section.view:visible");
  const lineOf = (row: Json) =>
    view.getByRole("row").filter({
      has: page.getByRole("link", { name: displayName(row), exact: true }),
    });
  await page.goto("/#/overview");
  for (const row of rows.slice(0, 6)) {
    await expect(lineOf(row).locator(".took").last()).toContainText(formatDuration(row.median));
    await expect(lineOf(row).locator(".counted")).toContainText(shown(row.count));
  }
  await page.goto("/#/endpoints");
  await expect(view).toContainText(shown(runs, "runs"));
  await expect(view).toContainText(shown(failed, "failed"));
  for (const row of rows) {
    const { application, name, op, before } = row;
    const counted = lineOf(row).locator(".counted");
    for (const side of [row, ...before ? [before] : []]) {
      const took = lineOf(row).locator(side === row ? ".took" : ".extra").last();
      await expect(took).toContainText(formatDuration(side.median));
      await expect(took).toContainText(`p95 ${formatDuration(side.p95)}`);
      const failures = side.failed > 0 ? `${side.failed}\\s*failed\\s*of\\s*` : "";
      await expect(counted).toContainText(new RegExp(`${failures}${side.count}(?!\\d)`));
    }
    const named = new URLSearchParams({ name, op });
    const content = await read(seeded.server, `endpoint&id=${application}&${named}`);
    expect(content.row).toEqual(row);
    const endpoint = new URLSearchParams({ application, endpoint: name, op });
    expect((await seeded.rows(`traces&${endpoint}`)).length)
      .toBe(new Set(content.runs.map(({ trace_id }: Json) => trace_id)).size);
    expect(sum(content.errors.map(({ count }: Json) => count)))
      .toBe((await seeded.rows(`occurrences&${endpoint}`)).length);
    // Of few enough runs all queries are counted.
    if (Math.max(row.count, before?.count ?? 0) > 100) continue;
    for (const query of content.queries) {
      const { count, total_ms } = queries.find(({ statement }) => statement === query.statement);
      const perRun = [query.since, query.before].map((of) => (of ? of.runs * of.most : 0));
      expect([sum(perRun), query.total_ms]).toEqual([count, total_ms]);
    }
  }
});

test("queries → the same in list, each application and for assistants", async ({ page, seeded }) => {
  const rows = await seeded.rows("queries");
  const figures = ["application", "statement", "count", "median", "p95", "total_ms", "longest"];
  expect(facts(await seeded.toolRows("list_endpoints", { of: "queries" }), ...figures))
    .toEqual(facts(rows, ...figures));
  await page.goto("/#/endpoints?as=queries");
  const view = page.locator("section.view:visible");
  await expect(view).toContainText(shown(rows.length, "statements"));
  for (const row of rows) {
    const own = await seeded.rows(`queries&application=${row.application}`);
    expect(own).toContainEqual(row);
    const line = view.getByRole("row").filter({ hasText: row.statement });
    const { count, total_ms, median, p95, repeated, longest } = row;
    for (const ms of [total_ms, median, longest]) {
      await expect(line).toContainText(formatDuration(ms));
    }
    for (const text of [`${count}`, `p95 ${formatDuration(p95)}`, `×${repeated.count}`]) {
      await expect(line).toContainText(text);
    }
  }
});

test("metrics → the same in list, detail, terminal and for assistants", async ({ page, seeded }) => {
  const rows = await seeded.rows("metrics");
  expect(rows.length).toBeGreaterThan(1);
  expect(facts(await seeded.toolRows("query_metric"), "name", "kind", "value", "count"))
    .toEqual(facts(rows, "name", "kind", "value", "count"));
  const tailed = () => sum(seeded.tailed("metrics").map(({ points }) => points));
  await expect.poll(tailed, WHILE_TAILED).toBe(sum(rows.map(({ points }) => points)));
  const view = page.locator("section.view:visible");
  for (const { name, kind, unit, value, count, show } of rows) {
    const written = formatFigure(value, show, { name, kind, unit });
    const metric = await read(seeded.server, `metric&name=${name}`);
    const [group] = metric.groups;
    expect([metric.show, group.figures[show], group.count]).toEqual([show, value, count]);
    expect(sum(group.points.map(({ count }: Json) => count))).toBe(count);
    const tool = await seeded.ask("query_metric", { name });
    expect([tool.groups[0].figures[show], tool.groups[0].count]).toEqual([value, count]);
    await page.goto("/#/metrics");
    const line = view.getByRole("row").filter({ hasText: name });
    await expect(line).toContainText(written);
    await expect(line).toContainText(`n ${count}`);
    await line.getByRole("link").click();
    const detail = page.locator(".detail-pane:visible");
    const all = detail.getByRole("table", { name: /^Groups/ }).locator("tbody tr").first();
    await expect(all).toContainText(written);
    await expect(all).toContainText(`${count}`);
  }
});

test("monitors → the same in list, runs, terminal and for assistants", async ({ page, seeded }) => {
  const [monitor, ...others] = await seeded.rows("monitors");
  expect(others).toEqual([]);
  const runs = await seeded.rows("runs");
  const failed = countOf(runs, ({ state }) => state === "failed");
  expect(failed).toBeGreaterThan(0);
  expect(facts(monitor.runs, "started_at", "state", "duration"))
    .toEqual(facts(runs, "started_at", "state", "duration"));
  const { rows: [tool] } = await seeded.ask("list_monitors");
  expect([tool.state, Date.parse(tool.since)]).toEqual([monitor.state, Math.floor(monitor.since)]);
  expect(tool.runs.map(({ duration }: Json) => duration))
    .toEqual(monitor.runs.slice(0, 5).map(({ duration }: Json) => duration));
  const ended = () => {
    const states = seeded.tailed("run").map((run) => [run.check_in_id, run.state]);
    return [...new Map(states as [string, string][]).values()].sort();
  };
  await expect.poll(ended, WHILE_TAILED).toEqual(runs.map(({ state }) => state).sort());
  await page.goto("/#/monitors");
  const view = page.locator("section.view:visible");
  await expect(view).toContainText(`${failed} of ${runs.length} runs failed`);
  await expect(view).toContainText(`All ${runs.length}`);
  await expect(view).toContainText(`Failed ${failed}`);
  await expect(view.getByRole("table", { name: "Runs, newest first" }).locator("tbody tr").first())
    .toContainText(formatDuration(monitor.runs[0].duration));
});

test("profiles → the same in counts, list, detail, terminal and for assistants", async ({ page, seeded }) => {
  const rows = await seeded.rows("profiles");
  expect((await read(seeded.server, "applications")).counts.profiles).toBe(rows.length);
  const figures = ["profile_id", "samples", "name", "top"];
  expect(facts(await seeded.toolRows("list_profiles"), ...figures)).toEqual(
    facts(rows, ...figures),
  );
  const tailed = () => new Set(seeded.tailed("profile").map((row) => row.profile_id)).size;
  await expect.poll(tailed, WHILE_TAILED).toBe(rows.length);
  const [row] = rows;
  const tool = await seeded.ask("get_profile", { profile_id: row.profile_id });
  expect([tool.samples, tool.functions[0].function]).toEqual([row.samples, row.top.function]);
  expect(Math.round(tool.functions[0].self_ms / tool.in_functions_ms * 100))
    .toBe(Math.round(row.top.share * 100));
  await page.goto("/#/profiles");
  const line = page.locator(`tr:has([data-row="${row.profile_id}"])`);
  await expect(line).toContainText(`${row.top.function} ${Math.round(row.top.share * 100)} %`);
  await expect(line).toContainText(formatDuration(row.ended_at - row.started_at));
  await line.getByRole("link").first().click();
  const view = page.locator("section.view:visible");
  await expect(view).toContainText(`${row.samples} samples`);
  await expect(view.getByRole("table", { name: /^Functions/ }).locator("tbody tr").first())
    .toContainText(`${row.top.function}`);
  await expect(view).toContainText(`${formatDuration(tool.in_functions_ms)} in functions`);
  await expect(view.locator(".profile-time")).toHaveText(formatDuration(tool.duration_ms));
});

test("feedback → the same in counts, histogram, list, terminal and for assistants", async ({ page, seeded }) => {
  const rows = await seeded.rows("feedback");
  expect((await read(seeded.server, "applications")).counts.feedback).toBe(rows.length);
  const { parts } = await read(seeded.server, "histogram&of=feedback");
  expect(sum(parts.map(({ count }: Json) => count))).toBe(rows.length);
  const figures = ["group", "message", "email", "trace_id", "replay_id"];
  expect(facts(await seeded.toolRows("list_feedback"), ...figures)).toEqual(
    facts(rows, ...figures),
  );
  await expect.poll(() => seeded.tailed("feedback").length, WHILE_TAILED).toBe(rows.length);
  await page.goto("/#/feedback");
  await expect(page.locator("section.view:visible")).toContainText(shown(rows.length, "messages"));
});

test("AI runs → the same in list, sums, detail, terminal and for assistants", async ({ page, seeded }) => {
  const rows = await seeded.rows("ai_runs");
  const figures = ["trace_id", "calls", "tools", "input_tokens", "output_tokens", "failed"];
  expect(facts(await seeded.toolRows("list_agent_runs"), ...figures))
    .toEqual(facts(rows, ...figures));
  const total = (column: string) => sum(rows.map((row) => row[column]));
  const sums = await seeded.rows("ai_sums");
  expect(sums.map(({ by }) => by)).toEqual(["all", "agent", "model"]);
  for (const { runs, calls, input_tokens, output_tokens } of sums) {
    expect([runs, calls, input_tokens, output_tokens])
      .toEqual([rows.length, total("calls"), total("input_tokens"), total("output_tokens")]);
  }
  const ended = () => new Set(seeded.tailed("ai").map(({ trace_id }) => trace_id)).size;
  await expect.poll(ended, WHILE_TAILED).toBe(rows.length);
  await page.goto("/#/ai?as=sums");
  const view = page.locator("section.view:visible");
  for (const table of await view.getByRole("table").all()) {
    const line = table.locator("tbody tr").first();
    for (const count of [rows.length, total("input_tokens"), total("output_tokens")]) {
      await expect(
        line.getByRole("cell", { name: count.toLocaleString("en"), exact: true }).first(),
      )
        .toBeVisible();
    }
  }
  const row = rows.find(({ tools }) => tools > 0);
  const spans = (await seeded.ask("get_agent_run", { trace_id: row.trace_id })).spans;
  expect(spans).toHaveLength(1 + row.calls + row.tools);
  await page.goto(`/#/ai/${row.trace_id}/${row.span_id}`);
  const detail = page.locator(".detail-pane:visible");
  await expect(detail).toContainText(row.input_tokens.toLocaleString("en"));
  await expect(detail).toContainText(formatDuration(row.duration));
});

async function read({ origin }: ServerProcess, query: string): Promise<Json> {
  return await (await fetch(`${origin}/monitoring/inbox?view=${query}&application=apps`)).json();
}
