/** A shop with real SDKs of two versions: what its applications sent, as the inbox, an assistant and the page show it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { OWN_APPLICATION, UNKNOWN_NAME } from "../../monitoring/models/application_rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import {
  arrivalsInInbox,
  type ArrivedItem,
  errorsOf,
  expect,
  listRows,
  logsOf,
  test as withServer,
} from "../harness/browser/fixtures.ts";
import { SHOPS, startShop, walkThroughShop } from "../harness/browser/shop.ts";
import { leave } from "../harness/browser/signals.ts";
import { spanRow } from "../harness/browser/views.ts";

// deno-lint-ignore no-explicit-any -- JSON of known shape
type Json = any;
type Filters = Readonly<Record<string, string>>;

/** The server to which each shop has reported one session, and what it received. */
interface Reported {
  readonly server: ServerProcess;
  readonly items: readonly ArrivedItem[];
  /** The data that an assistant's tool returns. */
  ask(tool: string, args?: Record<string, unknown>): Promise<Json>;
}

interface Fixtures {
  /** The rows of a list with these filters in the inbox, which the assistant and the page show, too. */
  readonly read: (
    list: keyof typeof LISTS,
    filters: Filters,
  ) => Promise<Json[]>;
}

const test = withServer.extend<Fixtures, { reported: Reported }>({
  // Once for all tests, which only read.
  reported: [async ({ browser }, provide) => {
    await using server = await startServer();
    const arrivals = arrivalsInInbox(server.origin, "page");
    for (const [index, version] of SHOPS.entries()) {
      await using shop = await startShop(server.port, version);
      await fetch(`${shop.api}checkout?cart=1`, { method: "POST" });
      const page = await browser.newPage();
      await walkThroughShop(page, shop.address, 6);
      await expect.poll(() => listRows(server.origin, "recordings"))
        .toHaveLength(index + 1);
      // The SDK sends the rest when the page is left.
      await leave(page);
      await arrivals.waitFor(
        "the session",
        (items) => hasSessions(items, index + 1),
      );
      await page.close();
    }
    const client = new Client({ name: "test", version: "1" });
    const address = new URL("/monitoring/mcp", server.origin);
    await client.connect(new StreamableHTTPClientTransport(address));
    const ask: Reported["ask"] = async (name, args) => {
      const { text = "" } = (await client.callTool({ name, arguments: args }))
        .content[0] as Json;
      return JSON.parse(
        /^<untrusted-telemetry.*>\n(.*)\n</m.exec(text)?.[1] ?? `"${text}"`,
      );
    };
    await provide({ server, items: await arrivals.items(), ask });
    await client.close();
  }, { scope: "worker", timeout: 300_000 }],
  server: async ({ reported }, provide) => await provide(reported.server),
  read: async ({ reported: { server, ask }, page }, provide) =>
    await provide(async (list, filters) => {
      const { tool, textOf } = LISTS[list];
      // Of other lists the page's order is that of the rows' times, not of their arrival.
      const isOrdered = list === "logs";
      const textsOf = (rows: Json[]) => isOrdered ? rows.map(textOf) : rows.map(textOf).sort();
      const query = new URLSearchParams({ application: "apps", ...filters });
      const rows = await listRows(server.origin, `${list}&${query}`);
      const { rows: answered } = await ask(tool, { ...filters, limit: 100 });
      expect(textsOf(answered), `${tool} ${query}`).toEqual(textsOf(rows));
      await page.goto(`/#/${list}?${new URLSearchParams(filters)}`);
      const shown = page.locator(
        "tr:has([data-row]):visible, [aria-level='1']:visible",
      );
      await expect.poll(async () => {
        const lines = await shown.allInnerTexts();
        const isShown = (row: Json, n: number) =>
          (isOrdered ? lines.slice(n, n + 1) : lines).some((line) =>
            line.replace(/\s+/g, " ").includes(textOf(row))
          );
        return lines.length === rows.length && rows.every(isShown);
      }, page.url()).toBe(true);
      return rows;
    }),
});

test.describe.configure({ mode: "default" });
/** High enough for all rows: only rows in sight are rendered. */
test.use({ viewport: { width: 1280, height: 1800 } });

const nameOf = (row: Json) => displayName(row);

/** The tool for each list, and the text of a row that the page shows, too. */
const LISTS = {
  traces: { tool: "list_traces", textOf: nameOf },
  errors: {
    tool: "list_errors",
    textOf: ({ type, value }: Json) => `${type} ${value}`,
  },
  logs: { tool: "search_logs", textOf: ({ body }: Json) => body },
};

const APPLICATIONS = ["web", "api", "worker"] as const;
type Application = (typeof APPLICATIONS)[number];

/** What each application calls itself. */
const senderOf = (
  application: Application,
  { release, environment }: (typeof SHOPS)[number],
) =>
  application === "api"
    ? { application: `shop-api, ${environment}`, release, environment }
    : application === "web"
    ? {
      application: "shop-web, production",
      release: "shop-web@2.0.0",
      environment: "production",
    }
    : {
      application: "shop-worker, production",
      release: "shop-worker@0.9.0",
      environment: "production",
    };

const SENDERS = SHOPS.flatMap((shop) => APPLICATIONS.map((one) => senderOf(one, shop)));

/** What each session makes in each list, by application: a trace has the name of the first that the filters leave. */
type Named = Partial<Record<Application, string>>;
const TRACES: readonly Named[] = [
  { web: "Page load /", api: "GET /products" },
  { web: "Navigation to /cart", api: "GET /products", worker: "POST /charge" },
  { web: "Navigation to /orders", api: "GET /orders" },
  { api: "POST /checkout", worker: "POST /charge" },
  { api: "refresh prices" },
];
const ERRORS: readonly Named[] = [
  { web: "The checkout failed" },
  { api: "Payment of 30 EUR failed" },
  { worker: "Card declined for 30 EUR" },
];
/** The last three are of a request that no page sent. */
const LOGS: readonly Named[] = [
  ...["Page /", "Page /cart", "Buying", "Page /orders"].map((web) => ({ web })),
  ...["Products listed", "Products listed", "Checkout started"].map((api) => ({
    api,
  })),
  { worker: "Charging the card" },
  { worker: "The bank refused the card" },
  { api: "Checkout started" },
  { worker: "Charging the card" },
  { api: "Checkout finished" },
];
const namesOf = (rows: readonly Named[], isShown = (_: Application) => true) =>
  rows.flatMap((row) =>
    APPLICATIONS.filter((one) => isShown(one) && row[one]).slice(0, 1)
      .map((one) => row[one]!)
  ).sort();

/** The operations of spans as each version of the SDKs sends them: in a transaction, alone, or in a container. */
function sentOps(items: readonly ArrivedItem[]): string[] {
  return items.flatMap((item) => {
    if (item.type !== "transaction" && item.type !== "span") return [];
    const { items: contained, contexts, ...single } = item.json<Json>();
    const spans: Json[] = contained ?? [{ ...single, ...contexts?.trace }];
    return spans.filter(({ transaction, description, name }) =>
      !(transaction ?? description ?? name).startsWith("OPTIONS")
    ).map(({ op, attributes }) => op ?? attributes["sentry.op"].value);
  });
}

/** Whether everything of so many sessions has arrived. */
function hasSessions(items: readonly ArrivedItem[], sessions: number): boolean {
  const ops = sentOps(items);
  const has = (op: string, times: number) => ops.filter((one) => one === op).length >= times;
  return logsOf(items).length === LOGS.length * sessions &&
    errorsOf(items).length === ERRORS.length * sessions &&
    has("http.server", 7 * sessions) &&
    has("pageload", sessions) && has("navigation", 2 * sessions) &&
    has("cron", sessions) &&
    has("ui.interaction.click", sessions) &&
    has("ui.webvital.cls", 3 * (sessions - 1));
}

test("release, environment, application → exactly the rows of those senders, and their counts", async ({ reported, read }) => {
  const { origin } = reported.server;
  const keys = new Map(
    (await listRows(origin, "applications")).map((
      row,
    ) => [`${row.name}, ${row.environment}`, row.key]),
  );
  for (const by of ["release", "environment", "application"] as const) {
    for (const value of new Set(SENDERS.map((sender) => sender[by]))) {
      const filter = { [by]: by === "application" ? keys.get(value) : value };
      const isSender = (shop: (typeof SHOPS)[number]) => (one: Application) =>
        senderOf(one, shop)[by] === value;
      const expected = (rows: readonly Named[]) =>
        SHOPS.flatMap((shop) => namesOf(rows, isSender(shop))).sort();
      const traces = await read("traces", filter);
      const errors = await read("errors", filter);
      const logs = await read("logs", filter);
      expect.soft(traces.map(nameOf).sort(), value).toEqual(expected(TRACES));
      expect.soft(
        errors.flatMap(({ value, count }) => Array(count).fill(value)).sort(),
        value,
      )
        .toEqual(expected(ERRORS));
      expect.soft(logs.map(({ body }) => body).sort(), value).toEqual(
        expected(LOGS),
      );
      const query = new URLSearchParams({ view: "applications", ...filter });
      const answer = await (await fetch(`${origin}/monitoring/inbox?${query}`))
        .json();
      const recordings = SHOPS.filter((shop) => isSender(shop)("web")).length;
      const counts = {
        traces: traces.length,
        errors: errors.length,
        logs: logs.length,
        recordings,
      };
      expect.soft(answer.counts, value).toMatchObject(counts);
    }
  }
});

test("API by Fastify → preflights left out, two queries that alternate in one row", async ({ page, reported }) => {
  const { origin } = reported.server;
  const names = async (query: string) =>
    (await listRows(origin, `traces&application=apps${query}`)).map(({ name }) => name);
  const isPreflight = (name: string) => name.startsWith("OPTIONS");
  expect((await names("")).filter(isPreflight)).toEqual([]);
  expect((await names("&preflights=true")).filter(isPreflight)).not.toEqual([]);
  const [orders] = await listRows(origin, "traces&name=GET+/orders");
  await page.goto(`${origin}/#/traces/${orders.trace_id}`);
  await expect(spanRow(page, /×6 \(2 queries\) db products, items/)).toBeVisible();
});

test("overview → the row of each application has the errors that it sent", async ({ page, reported }) => {
  const { origin } = reported.server;
  await page.goto(`${origin}/#/overview`);
  const rows = page.getByRole("region", { name: "Applications" }).getByRole("row");
  for (const { key, environment } of await listRows(origin, "applications")) {
    if (environment === null || key === OWN_APPLICATION.key) continue;
    const groups = await listRows(origin, `errors&application=${key}`);
    const count = groups.reduce((sum, { count }) => sum + count, 0);
    expect(count).toBeGreaterThan(0);
    const row = rows.filter({
      has: page.locator(`a[href*="application=${key}"]`),
    });
    await expect(row.locator(".failures")).toHaveText(new RegExp(`^${count}\\sopen errors?`));
  }
});

test("check-ins, profiles, metrics, sessions → of no other applications", async ({ reported }) => {
  const named = (rows: Json[]) =>
    new Set(
      rows.filter(({ key, name }) => key !== OWN_APPLICATION.key && name !== UNKNOWN_NAME)
        .map(({ name, environment, releases }) => `${name}, ${environment}: ${releases}`),
    );
  const expected = new Set(
    SENDERS.map(({ application, release }) => `${application}: ${release}`),
  );
  expect.soft(named(await listRows(reported.server.origin, "applications")))
    .toEqual(expected);
  expect.soft(named((await reported.ask("get_delivery_health")).applications))
    .toEqual(expected);
});

test("logs of three senders in batches → in order of their time over pages", async ({ reported, read }) => {
  const expected = logsOf(reported.items).toSorted((a, b) => b.timestamp - a.timestamp)
    .map(({ body }) => body);
  const list = async (before: object) => {
    const query = new URLSearchParams({
      view: "logs",
      application: "apps",
      limit: "5",
      ...before,
    });
    return await (await fetch(
      `${reported.server.origin}/monitoring/inbox?${query}`,
    )).json();
  };
  const search = (before: object) => reported.ask("search_logs", { limit: 5, ...before });
  for (const readPage of [list, search]) {
    const rows: Json[] = [];
    for (let page: Json = {}; page.next !== null; rows.push(...page.rows)) {
      page = await readPage(page.next ? { before: page.next } : {});
    }
    expect.soft(rows.map(({ body }) => body)).toEqual(expected);
  }
  expect.soft((await read("logs", {})).map(({ body }) => body)).toEqual(
    expected,
  );
});

test("errors, logs, spans of services in a page's trace → their recording, which counts them", async ({ page, reported }) => {
  const { server, ask } = reported;
  const recordings = await listRows(
    server.origin,
    "recordings&application=apps",
  );
  expect(recordings).toHaveLength(SHOPS.length);
  for (const { replay_id, errors, started_at, ended_at } of recordings) {
    const rows = (list: string) => listRows(server.origin, `${list}&replay=${replay_id}`);
    const occurrences = await rows("occurrences");
    expect.soft(occurrences.map(({ value }) => value).sort()).toEqual(
      namesOf(ERRORS),
    );
    expect.soft((await rows("traces")).map(nameOf).sort()).toEqual(
      namesOf(TRACES.slice(0, 3)),
    );
    expect.soft((await rows("logs")).map(({ body }) => body).sort())
      .toEqual(namesOf(LOGS.slice(0, -3)));
    const { event_id, trace_id, group, envelope } = occurrences
      .find(({ value }) => value.startsWith("Payment"))!;
    expect.soft((await ask("get_error", { event_id })).replay_id).toBe(
      replay_id,
    );
    expect.soft((await ask("get_trace", { trace_id })).replay_id).toBe(
      replay_id,
    );

    const view = page.locator("section:visible");
    const expectLink = async () => {
      const moment = new RegExp(`#/recordings/${replay_id}\\?at=\\d+`);
      await expect.soft(
        view.getByRole("link", { name: /^Play.* at this moment/ }).first(),
      )
        .toHaveAttribute("href", moment);
    };
    await page.goto(`/#/errors/${group}/${envelope}`);
    await expectLink();
    await page.goto(`/#/logs?trace=${trace_id}`);
    // The rows of the other recording stay until these are read.
    await view.getByRole("row", { name: trace_id.slice(0, 8) }).getByText("Checkout started")
      .click();
    await expectLink();
    await page.goto(`/#/traces/${trace_id}`);
    await spanRow(page, /SELECT stock/).click();
    await expectLink();

    await page.goto("/#/recordings");
    const row = page.locator(`tr:has([data-row="${replay_id}"])`);
    await expect.soft(row.locator(".facts > .refused")).toHaveText(/^3\serrors$/);
    await row.getByRole("link").first().click();
    await expect.soft(view.locator(".lane.of-error > span")).toHaveText(
      `Errors ${errors}`,
    );
    await expect.soft(view.getByRole("slider", { name: "Position" }))
      .toHaveAttribute("max", String(Math.round(ended_at - started_at)));
    await expect.soft(view.locator(".events")).not.toContainText("app.js");
  }
});
