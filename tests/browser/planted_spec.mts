/**
 * Faults that the shop plants by real SDKs. Each is read by a person who starts on the Overview within three clicks, and
 * by an assistant with one call of a tool.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Locator, Page } from "@playwright/test";
import { formatDuration } from "../../components/format.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { expect, listRows, test as withServer } from "../harness/browser/fixtures.ts";
import { startShop, walkThroughShop } from "../harness/browser/shop.ts";
import { leave } from "../harness/browser/signals.ts";
import { spanRow, tab } from "../harness/browser/views.ts";

// deno-lint-ignore no-explicit-any -- JSON of known shape
type Json = any;

interface Planted {
  readonly server: ServerProcess;
  /** The data that an assistant's tool returns. */
  ask(tool: string, args?: Record<string, unknown>): Promise<Json>;
}

/** A percentile needs as many. */
const REQUESTS = 5;
/** The requests above to two routes, the one to the assistant, and those of a walk through the shop. */
const MEASURED = 2 * REQUESTS + 1 + 4;
/** Milliseconds that a checkout waits at least: for queries and the bank. */
const CHECKOUT_MS = 400;

const test = withServer.extend<object, { planted: Planted }>({
  // Once for all tests, which only read.
  planted: [async ({ browser }, provide) => {
    await using server = await startServer();
    await using shop = await startShop(server.port);
    for (let n = 0; n < REQUESTS; n++) {
      await fetch(`${shop.api}products`);
      await fetch(`${shop.api}checkout?cart=1`, { method: "POST" });
    }
    await fetch(`${shop.api}assistant`);
    const page = await browser.newPage();
    await walkThroughShop(page, shop.address, 2);
    const rows = (list: string): Promise<Json[]> => listRows(server.origin, list);
    await expect.poll(() => rows("recordings")).toHaveLength(1);
    // The SDK sends the rest when the page is left.
    await leave(page);
    await page.close();
    for (const list of ["profiles", "feedback", "ai_runs", "traces&name=GET+/orders"]) {
      await expect.poll(() => rows(list), list).toHaveLength(1);
    }
    await expect.poll(() => rows("runs&q=export")).toHaveLength(2);
    const measured = async () =>
      (await rows("metrics")).find(({ name }) => name === "request.duration")?.count;
    await expect.poll(measured).toBe(MEASURED);

    const client = new Client({ name: "test", version: "1" });
    const address = new URL("/monitoring/mcp", server.origin);
    await client.connect(new StreamableHTTPClientTransport(address));
    const ask: Planted["ask"] = async (name, args) => {
      const { text = "" } = (await client.callTool({ name, arguments: args })).content[0] as Json;
      return JSON.parse(/^<untrusted-telemetry.*>\n(.*)\n</m.exec(text)?.[1] ?? `"${text}"`);
    };
    await provide({ server, ask });
    await client.close();
  }, { scope: "worker", timeout: 300_000 }],
  server: async ({ planted }, provide) => await provide(planted.server),
});

test.describe.configure({ mode: "default" });

/** Opens the Overview. Returns how a person continues from there: by three clicks at most. */
async function fromOverview(page: Page): Promise<(target: Locator) => Promise<void>> {
  await page.goto("/#/overview");
  await expect(page.getByRole("region", { name: "Applications" })).toBeVisible();
  let clicks = 0;
  return async (target) => {
    expect(++clicks, "clicks from the Overview").toBeLessThanOrEqual(3);
    await target.click();
  };
}

const view = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const idIn = (page: Page) => /[\da-f]{32}/.exec(page.url())![0];

test("slow function → its name and share in the page's profile, 3 clicks", async ({ page, planted }) => {
  const click = await fromOverview(page);
  await click(tab(page, "Profiles"));
  await click(view(page, "Profiles").getByRole("row", { name: /sortSlowly/ }).getByRole("link"));
  const functions = page.getByRole("table", { name: "Functions, most self time first" });
  await click(functions.getByRole("button", { name: "sortSlowly" }));
  await expect(page.locator("article.profile").getByRole("complementary"))
    .toContainText(/\d\sms, \d+\s%/);

  const { rows: [{ top }] } = await planted.ask("list_profiles");
  expect(top.function).toBe("sortSlowly");
  expect(top.share).toBeGreaterThan(0);
});

test("job that never finishes → its state in words, 1 click", async ({ page, planted }) => {
  const click = await fromOverview(page);
  await click(tab(page, "Monitors"));
  const job = view(page, "Monitors").getByRole("row", { name: /export orders/ }).first();
  await expect(job).toContainText(/1 of 2\sruns never finished/);
  await expect(job).toContainText("every hour");

  const { rows } = await planted.ask("list_monitors", { query: "export" });
  expect(rows[0].runs.map(({ state }: Json) => state)).toEqual(["running", "unfinished"]);
});

test("metric that differs by route → p95 of each beside the others, 3 clicks", async ({ page, planted }) => {
  const click = await fromOverview(page);
  await click(tab(page, "Metrics"));
  await click(view(page, "Metrics").getByRole("link", { name: "request.duration" }));
  await click(
    page.getByRole("table", { name: "Largest values" })
      .getByRole("link", { name: "route=/checkout" }).first(),
  );
  const groups = page.getByRole("table", { name: "Groups, those with most values first" });

  const by = { name: "request.duration", by: "route", show: "p95" };
  const answer = await planted.ask("query_metric", by);
  const p95 = Object.fromEntries(
    answer.groups.map(({ value, figures }: Json) => [value, figures.p95]),
  );
  expect(p95["/checkout"]).toBeGreaterThan(CHECKOUT_MS);
  for (const route of ["/checkout", "/products"]) {
    await expect(groups.getByRole("row", { name: route })).toContainText(
      formatDuration(p95[route]),
    );
  }
});

test("AI run whose tool fails → the tool and why, 3 clicks", async ({ page, planted }) => {
  const click = await fromOverview(page);
  await click(tab(page, "AI runs"));
  const row = view(page, "AI runs").getByRole("row", { name: /Is the lamp in stock\?/ });
  await expect(row.getByRole("cell", { name: "1 failed of 1" })).toBeVisible();
  await click(row.getByRole("link"));
  const run = view(page, "AI runs").getByRole("article");
  await click(run.getByRole("link", { name: "find_stock" }));
  await expect(run.getByRole("complementary")).toContainText("No stock is known of the lamp");

  const { spans } = await planted.ask("get_agent_run", { trace_id: idIn(page) });
  const [tool] = spans.filter(({ failed }: Json) => failed);
  expect([tool.kind, tool.name, tool.status]).toEqual([
    "tool",
    "find_stock",
    "No stock is known of the lamp",
  ]);
});

test("user's message → its recording at that moment, 3 clicks", async ({ page, planted }) => {
  const click = await fromOverview(page);
  await click(tab(page, "Feedback"));
  await click(view(page, "Feedback").getByRole("link", { name: "It is slow." }));
  await click(page.getByRole("article").getByRole("link", { name: "Play at this moment" }));
  await expect(view(page, "Recordings").locator(".events .of-feedback")).toContainText(
    "It is slow.",
  );

  const { rows: [feedback] } = await planted.ask("list_feedback");
  expect([feedback.message, feedback.replay_id]).toEqual(["It is slow.", idIn(page)]);
});

test("N+1 → the repeated queries in one row of the trace, 2 clicks", async ({ page, planted }) => {
  const click = await fromOverview(page);
  await click(tab(page, "Traces"));
  await click(
    page.getByRole("table", { name: "Traces, newest first" })
      .getByRole("link", { name: "Navigation to /orders" }),
  );
  await expect(spanRow(page, /×6 \(2 queries\) db products, items/)).toBeVisible();

  const trace_id = idIn(page);
  const { longest_spans } = await planted.ask("get_trace", { trace_id });
  const [{ repeated }] = longest_spans.filter(({ repeated }: Json) => repeated);
  expect(repeated).toMatch(/^×6 \(2 queries\), [\d.]+ m?s, sum [\d.]+ m?s$/);

  // Also without knowing of which request.
  const again = await fromOverview(page);
  await again(tab(page, "Endpoints"));
  await again(view(page, "Endpoints").getByRole("link", { name: "Queries", exact: true }));
  await again(view(page, "Endpoints").getByRole("link", { name: "×6" }).first());
  expect(idIn(page)).toBe(trace_id);
  const { rows } = await planted.ask("list_endpoints", { of: "queries", sort: "-repeated" });
  expect(rows[0].repeated).toEqual({ count: 6, trace_id });
});
