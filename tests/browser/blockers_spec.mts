/** No request of a session matches a content blocker's rule. */
import { readFileSync } from "node:fs";
import { FiltersEngine, Request, type RequestType } from "@ghostery/adblocker";
import type { Page } from "@playwright/test";
import { readManifest } from "../../server/manifest.ts";
import { type Arrivals, expect, test } from "../harness/browser/fixtures.ts";
import type { PageWatch } from "../harness/browser/page_watch.ts";
import type { SentRequests } from "../harness/browser/requests.ts";
import {
  ERRORS,
  leave,
  makeEverySignal,
  openPage,
  sampleRecording,
} from "../harness/browser/signals.ts";

/** Replaces the test server's origin: rules match host names. */
const EXAMPLE_ORIGIN = "https://page.example";

/** A request as a content blocker sees it. */
interface BlockableRequest {
  readonly type: RequestType;
  readonly url: string;
}

/** The rules of `blocking_rules.txt`, each with a request that it blocks. */
const rules = readFileSync(new URL("blocking_rules.txt", import.meta.url), "utf8").split("\n")
  .filter((line) => line !== "" && !line.startsWith("!")).map((line) => {
    const [rule, type, url] = line.split(" ") as [string, RequestType, string];
    return { rule, blocks: { type, url } };
  });

/** A content blocker: returns the rule that blocks a request, if any. */
function createBlocker(rules: readonly string[]) {
  const engine = FiltersEngine.parse(rules.join("\n"), { debug: true });
  return ({ type, url }: BlockableRequest): string | undefined => {
    const { match, filter } = engine.match(
      Request.fromRawDetails({ type, url, sourceUrl: `${EXAMPLE_ORIGIN}/` }),
    );
    return match ? filter?.rawLine ?? String(filter) : undefined;
  };
}

const blocker = createBlocker(rules.map(({ rule }) => rule));

/** Requests of the contract that not every session makes. */
const OTHER_REQUESTS: readonly BlockableRequest[] = [
  { type: "xmlhttprequest", url: "/?fresh-partial=true" },
  { type: "xmlhttprequest", url: "/monitoring" },
  { type: "ping", url: "/monitoring" },
  { type: "xmlhttprequest", url: "/monitoring/inbox?since=7&type=event&limit=500" },
  { type: "xmlhttprequest", url: "/monitoring/inbox?id=7" },
  // Reports of the browser itself: extensions see those of `report-uri` as `csp_report`, a kind of `ping` or `other`.
  { type: "ping", url: "/monitoring/security" },
  { type: "other", url: "/monitoring/security" },
].map(({ type, url }) => ({ type: type as RequestType, url: EXAMPLE_ORIGIN + url }));

/** Makes every signal, waits until each kind has arrived, and leaves. */
async function runSession(page: Page, arrivals: Arrivals, watch: PageWatch): Promise<void> {
  watch.allow(...Object.values(ERRORS), "status of 503");
  await sampleRecording(page, true);
  await openPage(page);
  await makeEverySignal(page);
  await page.evaluate(() => void (location.hash = "#/logs"));
  await arrivals.waitForError(ERRORS.component);
  for (const type of ["span", "log", "replay_recording"]) {
    await arrivals.waitForItem(`a ${type}`, (item) => item.type === type);
  }
  await leave(page);
}

/** All requests to this origin, as a content blocker sees them. */
function requestsOf(sent: SentRequests, origin: string): readonly BlockableRequest[] {
  expect(sent.leaving(origin)).toEqual([]);
  return sent.all.filter(({ url }) => url.origin === origin).map(({ kind, url }) => ({
    // For Chromium's extensions an EventSource is an XMLHttpRequest.
    type: (kind === "eventsource" ? "xhr" : kind) as RequestType,
    url: EXAMPLE_ORIGIN + url.pathname + url.search,
  }));
}

test("session with every signal → no request matches a content blocker's rule", async ({ page, server, sent, arrivals, watch }) => {
  await runSession(page, arrivals, watch);
  const requests = requestsOf(sent, server.origin);
  // Checks that the expected requests were made.
  const isRequested = (path: RegExp, type: string) =>
    requests.some((request) => path.test(new URL(request.url).pathname) && request.type === type);
  expect(isRequested(/^\/$/, "document"), "the page").toBe(true);
  expect(isRequested(/^\/assets\//, "script"), "scripts").toBe(true);
  expect(isRequested(/^\/monitoring$/, "fetch"), "envelopes").toBe(true);
  expect(isRequested(/^\/monitoring\/inbox$/, "fetch"), "rows").toBe(true);
  expect(isRequested(/^\/monitoring\/inbox$/, "xhr"), "live rows").toBe(true);
  for (const request of requests) {
    expect(blocker(request), `${request.type} ${request.url}`).toBeUndefined();
  }
});

test.describe("MONITORING_PATH set", () => {
  test.use({ serverEnv: { MONITORING_PATH: "/glass-7" } });

  test("session → posts only there, and passes a rule against /monitoring", async ({ page, server, sent, arrivals, watch }) => {
    await runSession(page, arrivals, watch);
    expect(new Set(sent.posts().map(({ url }) => url.href)))
      .toEqual(new Set([`${server.origin}/glass-7`]));
    const siteRule = "||page.example/monitoring|$xmlhttprequest";
    const strict = createBlocker([...rules.map(({ rule }) => rule), siteRule]);
    expect(strict({ type: "fetch", url: `${EXAMPLE_ORIGIN}/monitoring` })).toBe(siteRule);
    for (const request of requestsOf(sent, server.origin)) {
      expect(strict(request), `${request.type} ${request.url}`).toBeUndefined();
    }
    expect(await arrivals.text()).not.toContain("/glass-7");
  });
});

test("each rule → blocks its own example request, and no other request of the contract", () => {
  for (const request of OTHER_REQUESTS) {
    expect(blocker(request), `${request.type} ${request.url}`).toBeUndefined();
  }
  expect(rules.length).toBeGreaterThanOrEqual(40);
  for (const { rule, blocks } of rules) {
    expect(createBlocker([rule])(blocks), `${rule} alone`).toBe(rule);
    expect(blocker(blocks), `${blocks.type} ${blocks.url}`).toBeDefined();
  }
});

test("names of scripts and styles → only hashes", async () => {
  const { assets } = await readManifest(new URL("../../.build/", import.meta.url));
  const names = Object.keys(assets);
  expect(names.length).toBeGreaterThanOrEqual(10);
  for (const name of names) expect(name).toMatch(/^[A-Z0-9]{8,}\.(js|css)$/);
});
