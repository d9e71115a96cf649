/** Nothing that a visit loads or posts to is what a content blocker's rules are about. */
import type { Page } from "@playwright/test";
import { readManifest } from "../../server/manifest.ts";
import {
  createBlocker,
  JUDGED_ORIGIN,
  type JudgedRequest,
  readBlockingRules,
} from "./blocking_rules.ts";
import { type Arrivals, expect, test } from "./fixtures.ts";
import type { PageWatch } from "./page_watch.ts";
import type { SentRequests } from "./sent_requests.ts";
import { ERRORS, makeEverySignal, openPage } from "./signals.ts";
import { errorOf } from "./telemetry.ts";

const rules = readBlockingRules();
const blocker = createBlocker(rules.map(({ rule }) => rule));

/** What the contract lets a page ask for, and a visit may do without. */
const FURTHER: readonly JudgedRequest[] = [
  { type: "xmlhttprequest", url: "/?fresh-partial=true" },
  { type: "xmlhttprequest", url: "/monitoring" },
  { type: "ping", url: "/monitoring" },
  { type: "xmlhttprequest", url: "/monitoring/inbox?since=7&type=event&limit=500" },
  { type: "xmlhttprequest", url: "/monitoring/inbox?id=7" },
  { type: "sub_frame", url: "/monitoring/player" },
].map(({ type, url }) => ({ type: type as JudgedRequest["type"], url: JUDGED_ORIGIN + url }));

/** Makes every signal, sees that each kind has arrived, and leaves. */
async function visit(page: Page, arrivals: Arrivals, watch: PageWatch): Promise<void> {
  watch.allow(...Object.values(ERRORS), "status of 503");
  await page.addInitScript(() => void (Math.random = () => 0.05)); // recorded from the start
  await openPage(page);
  await makeEverySignal(page);
  await arrivals.waitFor("the last error", (items) => errorOf(items, ERRORS.component));
  for (const type of ["span", "log", "replay_recording"]) {
    await arrivals.waitForItem(`a ${type}`, (item) => item.type === type);
  }
  await page.goto("about:blank");
}

/** All requests of a visit to this origin, as a content blocker sees them. */
function judged(sent: SentRequests, origin: string): readonly JudgedRequest[] {
  expect(sent.leaving(origin)).toEqual([]);
  return sent.all.filter(({ url }) => url.origin === origin).map(({ kind, url }) => ({
    // Chromium's extensions are told of streams of events as of other requests by script.
    type: (kind === "eventsource" ? "xhr" : kind) as JudgedRequest["type"],
    url: JUDGED_ORIGIN + url.pathname + url.search,
  }));
}

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("no request of a visit with every signal matches a content blocker's rule", async ({ page, server, sent, arrivals, watch }) => {
      await visit(page, arrivals, watch);
      const requests = judged(sent, server.origin);
      // What was not asked for was not judged.
      const asked = (path: RegExp, type: string) =>
        requests.some((request) =>
          path.test(new URL(request.url).pathname) && request.type === type
        );
      expect(asked(/^\/$/, "document"), "the page").toBe(true);
      expect(asked(/^\/assets\//, "script"), "scripts").toBe(true);
      expect(asked(/^\/monitoring$/, "fetch"), "envelopes").toBe(true);
      expect(asked(/^\/monitoring\/inbox$/, "fetch"), "rows").toBe(mode === "inbox");
      expect(asked(/^\/monitoring\/inbox$/, "xhr"), "live rows").toBe(mode === "inbox");
      for (const request of requests) {
        expect(blocker(request), `${request.type} ${request.url}`).toBeUndefined();
      }
    });

    test.describe("with a MONITORING_PATH of its own", () => {
      test.use({ serverEnv: { MONITORING_PATH: "/glass-7" } });

      test("a visit posts there alone, past a rule against /monitoring", async ({ page, server, sent, arrivals, watch }) => {
        await visit(page, arrivals, watch);
        expect(new Set(sent.posts().map(({ url }) => url.href)))
          .toEqual(new Set([`${server.origin}/glass-7`]));
        const siteRule = "||page.example/monitoring|$xmlhttprequest";
        const strict = createBlocker([...rules.map(({ rule }) => rule), siteRule]);
        expect(strict({ type: "fetch", url: `${JUDGED_ORIGIN}/monitoring` })).toBe(siteRule);
        for (const request of judged(sent, server.origin)) {
          expect(strict(request), `${request.type} ${request.url}`).toBeUndefined();
        }
      });
    });
  });
}

test("what else the contract lets a page ask for matches no rule", () => {
  for (const request of FURTHER) {
    expect(blocker(request), `${request.type} ${request.url}`).toBeUndefined();
  }
});

test("each rule blocks the request that it stands for, so that passing them means something", () => {
  expect(rules.length).toBeGreaterThanOrEqual(40);
  for (const { rule, blocks } of rules) {
    expect(createBlocker([rule])(blocks), `${rule} alone`).toBe(rule);
    expect(blocker(blocks), `${blocks.type} ${blocks.url}`).toBeDefined();
  }
});

test("the names of scripts are hashes and nothing else", async () => {
  const { assets } = await readManifest(new URL("../../.build/", import.meta.url));
  const names = Object.keys(assets);
  expect(names.length).toBeGreaterThanOrEqual(10);
  for (const name of names) expect(name).toMatch(/^[A-Z0-9]{8,}\.js$/);
});
