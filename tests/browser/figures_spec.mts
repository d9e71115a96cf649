/** One inbox of 3,000 envelopes: a figure that is shown in two places is the same in both. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { busyShop } from "../harness/busy_shop.ts";
import { expect, listRows, test as withServer } from "../harness/browser/fixtures.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { watchProcess } from "../harness/watched_process.ts";
import { projectRoot } from "../../tools/project_files.ts";

// deno-lint-ignore no-explicit-any -- JSON of known shape
type Json = any;

/** As many as the shop has; of fewer rows than a list counts. */
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
  tailed(kind: "error" | "log" | "trace"): Json[];
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
const shown = (count: number, word: string) =>
  new RegExp(`(?<![\\d,.])${count.toLocaleString("en")}\\s${word}`);

const LISTS = [
  {
    list: "traces",
    tool: "list_traces",
    word: "traces",
    failed: (row: Json) => row.failed,
    failure: "with errors",
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
    // Counted to a limit.
    expect(counts[list]).toBe(Math.min(rows.length, 1_000));

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
  expect(counts.envelopes).toBe(Math.min(rows.length, 1_000));
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

async function read({ origin }: ServerProcess, query: string): Promise<Json> {
  return await (await fetch(`${origin}/monitoring/inbox?view=${query}&application=apps`)).json();
}
