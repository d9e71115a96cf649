/** The proof of the pipeline: it passes, or names the broken step and its cause. */
import { Buffer } from "node:buffer";
import type { Page } from "@playwright/test";
import { runDeno } from "../harness/run_program.ts";
import { answers, closes } from "../harness/stand_in_ingest.ts";
import { errorsOf, expect, logsOf, spansOf, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { forbidIndexedDb } from "../harness/browser/requests.ts";
import { openPage, sampleRecording } from "../harness/browser/signals.ts";

async function openProof(page: Page): Promise<void> {
  // The proof's segment is the first one.
  await sampleRecording(page, false);
  await openPage(page, "/#/settings");
}

/** Runs the proof, and returns it as text. */
async function prove(page: Page): Promise<string> {
  const panel = page.locator(".proof");
  await panel.getByRole("button", { name: "Run the proof" }).click();
  await expect(panel).toHaveAttribute("data-verdict", /passed|warning|failed/);
  return await panel.locator(".result").innerText();
}

/** The broken steps and their causes, as the text names them. */
const findings = (text: string) =>
  [...text.matchAll(/^(Broken|Warning) at (.*)\n+(.*)\n+Fix: (.*)$/gm)]
    .map(([, kind, step, cause, fix]) => ({ kind, step, cause, fix }));

/** Runs `deno task prove` as a process of its own. */
const runTool = (chromium: string, address: string, env: Record<string, string> = {}) =>
  runDeno(["run", "-A", "tools/prove.ts", address], { env: { CHROMIUM_PATH: chromium, ...env } });

const ALL = "error, span, log, recording";

test("inbox mode → each signal found again by its id; without consent off", async ({ page, arrivals }) => {
  await openProof(page);
  const text = await prove(page);
  expect(findings(text)).toEqual([]);
  expect(text).toContain("every signal was found again in the inbox");
  expect(text).toMatch(/^Sent(\s+yes <?\d\S*\sm?s){4}$/m);
  expect(text).toMatch(/^Answered(\s+200 stored <?\d\S*\sm?s){4}$/m);
  expect(text).toMatch(/^Found in the inbox(\s+yes <?\d\S*\sm?s){4}$/m);
  await expect(page.locator(".proof")).toHaveAttribute("data-verdict", "passed");

  const [errorId, spanId, logId, replayId] = /^Id\t(\w+)\t(\w+)\t(\w+)\t(\w+) segment \d+$/m.exec(
    text,
  )!.slice(1);
  const items = await arrivals.items();
  const [error] = errorsOf(items).filter(({ event_id }) => event_id === errorId);
  expect(error?.exception.values[0]?.value).toBe("Sightglass proof: error");
  const [span] = spansOf(items).filter(({ span_id }) => span_id === spanId);
  expect(span?.name).toBe("Sightglass proof: span");
  const [log] = logsOf(items).filter(({ attributes }) => attributes["proof.id"]?.value === logId);
  expect(log?.body).toBe("Sightglass proof: log");
  expect([span?.trace_id, log?.trace_id]).toEqual(
    Array(2).fill(error?.contexts.trace.trace_id),
  );
  expect(items.filter(({ type }) => type === "replay_event").map((item) => item.json().replay_id))
    .toContain(replayId);

  await expectAccessibleLayout(page, "a proof");
  const consent = page.getByRole("region", { name: "Consent" });
  await consent.getByRole("switch", { name: "Logs" }).click();
  const withoutLogs = await prove(page);
  expect(findings(withoutLogs)).toMatchObject([{ kind: "Warning", step: "Made: log" }]);
  expect(withoutLogs).toMatch(/^Made\tyes .*\tyes .*\tno consent\s+yes/m);
});

test("IndexedDB refused → not stored in the browser, everything else works", async ({ page }) => {
  await forbidIndexedDb(page);
  await openProof(page);
  const text = await prove(page);
  expect(findings(text)).toMatchObject([{
    kind: "Broken",
    step: `Sent: ${ALL}`,
    cause: expect.stringContaining("does not store envelopes"),
  }]);
  expect(text).toMatch(/^Found in the inbox(\s+yes <?\d\S*\sm?s){4}$/m);
  await expect(page.locator(".proof")).toHaveAttribute("data-verdict", "failed");
});

test("worker refused by the CSP → recording not compressed", async ({ page, watch }) => {
  watch.allow(/Content Security Policy/);
  await page.route("/", async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    headers["content-security-policy"] = headers["content-security-policy"]!
      .replace("worker-src 'self'", "worker-src 'none'");
    await route.fulfill({ response, headers });
  });
  await openProof(page);
  const text = await prove(page);
  expect(findings(text)).toMatchObject([{
    kind: "Broken",
    step: "Made: recording",
    cause: expect.stringContaining("The recorder’s worker does not start"),
    fix: expect.stringContaining("worker-src 'self'"),
  }]);
});

test.describe("inbox with a token", () => {
  const INBOX_TOKEN = "a-token-of-at-least-16-characters";
  test.use({ serverEnv: { INBOX_TOKEN } });

  test("deno task prove → 0 with the token, 1 without, 2 where no Sightglass is", async ({ server, ingest, chromium }) => {
    const [passed, refused, none] = await Promise.all([
      runTool(chromium, server.origin, { INBOX_TOKEN }),
      runTool(chromium, server.origin),
      runTool(chromium, ingest.origin),
    ]);
    expect(passed.stderr).toBe("");
    expect(passed.stdout).toMatch(/^Found in the inbox(\s+yes <?\d\S*\sm?s){4}$/m);
    expect(passed.code).toBe(0);

    expect(findings(refused.stdout)).toMatchObject([{
      kind: "Broken",
      step: `Found in the inbox: ${ALL}`,
      fix: expect.stringContaining("INBOX_TOKEN"),
    }]);
    expect(refused.code).toBe(1);

    expect(none.stderr).toContain(`${ingest.origin} is no Sightglass page`);
    expect(none.code).toBe(2);
  });
});

test.describe("relay mode", () => {
  test.use({ mode: "relay" });

  test("accepted, blocked, offline, ingest down → each named", async ({ page, context, ingest, watch }) => {
    watch.allow("ERR_BLOCKED_BY_CLIENT", "ERR_INTERNET_DISCONNECTED");
    await openProof(page);
    const passed = await prove(page);
    expect(findings(passed)).toEqual([]);
    expect(passed).toContain("the ingest has accepted every signal");
    expect(passed).toMatch(/^Answered(\s+200 delivered <?\d\S*\sm?s){4}$/m);

    await page.route("/monitoring", (route) => route.abort("blockedbyclient"));
    expect(findings(await prove(page))).toMatchObject([{
      kind: "Broken",
      step: `Sent: ${ALL}`,
      cause:
        "Requests to the server’s /monitoring are blocked in the browser: others are answered.",
      fix: expect.stringContaining("MONITORING_PATH"),
    }]);

    await page.unroute("/monitoring");
    await context.setOffline(true);
    expect(findings(await prove(page))).toMatchObject([{
      kind: "Broken",
      step: `Sent: ${ALL}`,
      cause: "The browser is offline.",
    }]);

    await context.setOffline(false);
    await expect(page.getByText(/^0\swaiting envelopes/)).toBeVisible();
    ingest.behave(closes);
    const spooled = await prove(page);
    expect(findings(spooled)).toMatchObject([{
      kind: "Warning",
      step: `Answered: ${ALL}`,
      cause: expect.stringContaining("the relay keeps the envelope in its spool"),
    }]);
    expect(spooled).toContain("Not proven");
    await expect(page.locator(".proof")).toHaveAttribute("data-verdict", "warning");
  });

  test("ingest refuses → deno task prove ends with 1 and names it; limits the rate → named", async ({ page, ingest, server, chromium, watch }) => {
    watch.allow("status of 429");
    ingest.behave(answers(403, { headers: { "x-sentry-error": "the key is disabled" } }));
    const { code, stdout } = await runTool(chromium, server.origin);
    // One session of ten is recorded from the start: its recorder has then stopped before.
    expect(findings(stdout).at(-1)).toMatchObject({
      kind: "Broken",
      step: expect.stringMatching(/^Answered: error, span, log/),
      cause: "The envelope was refused with 403. It reports: “the key is disabled”",
      fix: expect.stringContaining("SENTRY_DSN"),
    });
    expect(code).toBe(1);

    ingest.behave(answers(429, { headers: { "x-sentry-rate-limits": "60::organization" } }));
    await openProof(page);
    const limited = findings(await prove(page));
    for (const { cause } of limited) expect(cause).toContain("limits the rate of such signals");
    expect(limited.flatMap(({ step }) => step!.split(": ")[1]!.split(", ")).toSorted())
      .toEqual(["error", "log", "recording", "span"]);
  });

  test("the page's DSN is not allowed → DSN named", async ({ page, watch }) => {
    watch.allow("status of 403");
    await page.route("/", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll("sentry.io/1", "sentry.io/2");
      await route.fulfill({ response, body: Buffer.from(body) });
    });
    await openProof(page);
    expect(findings(await prove(page))).toMatchObject([{
      kind: "Broken",
      step: `Answered: ${ALL}`,
      cause: expect.stringMatching(/^The envelope was refused with 403\. It reports: “.*DSN/),
      fix: expect.stringContaining("SENTRY_ALLOWED_DSNS"),
    }]);
  });
});
