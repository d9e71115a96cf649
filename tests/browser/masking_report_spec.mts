/** The masking report of an application that masks nothing. */
import { serveApplication, startSdk } from "../harness/browser/application_site.ts";
import { CANARIES, enterCanaries, plantCanaries } from "../harness/browser/canaries.ts";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { postBody, postEnvelope } from "../harness/browser/posted.ts";
import { leave } from "../harness/browser/signals.ts";
import {
  addition,
  element,
  entry,
  messagePack,
  pageEvents,
  segmentEnvelope,
  text,
} from "../harness/recorded_segments.ts";
import { openMaskingReport, searchReport } from "../harness/browser/views.ts";

const typeOf = ({ type }: { type: string }) => type;

const MASKS_NOTHING =
  "maskAllText: false, maskAllInputs: false, blockAllMedia: false, maskAttributes: []";
const APPLICATION = `${startSdk("open@1.0.0", MASKS_NOTHING)}
  globalThis.sendAll = async () => {
    Sentry.logger.info("Paid by canarylog");
    Sentry.captureException(new Error("Cannot pay for canaryevent"));
    Sentry.getActiveSpan()?.end();
    await replay.flush();
    await Sentry.flush();
  };
`;

const PAGE = `<!doctype html><meta charset="utf-8"><title>Open</title>
  <link rel="icon" href="data:,"><main id="main"><h1>Profile</h1>
  <form id="profile"><p>Write to ann@shop.example</p>
  <input name="card" value="4111 1111 1111 1111"></form></main>
  <script type="module" src="/app.js"></script>`;

test("application that masks nothing → each canary is found, with its place", async ({ page, server, watch }) => {
  watch.allow("Uncaught error", "canary", "thrown", "404");
  await using site = await serveApplication(APPLICATION, PAGE);
  const dsn = `http://dev@127.0.0.1:${server.port}/1`;
  await page.goto(
    `http://localhost:${site.port}/?dsn=${dsn}&who=${CANARIES.query}#${CANARIES.fragment}`,
  );
  await page.waitForFunction(() => "sendAll" in globalThis);
  await plantCanaries(page);
  await enterCanaries(page);
  await page.evaluate(() => (globalThis as unknown as { sendAll(): Promise<void> }).sendAll());
  // Leaving the page sends all buffered data.
  await leave(page);

  const rowsOf = (view: string) => listRows(server.origin, `${view}&application=apps`);
  const types = async () => (await rowsOf("envelopes")).flatMap(({ items }) => items.map(typeOf));
  await expect.poll(types).toEqual(
    expect.arrayContaining(["replay_recording", "event", "log", "transaction"]),
  );
  const [{ replay_id }] = await rowsOf("recordings");
  await page.goto(`/#/recordings/${replay_id}`);
  await openMaskingReport(page);

  const report = page.locator(".masking");
  const personal = report.getByRole("region", { name: "Looks like personal data" });
  await expect(personal.getByRole("listitem")).toHaveCount(2);
  const [mail, card] = await personal.getByRole("listitem").allInnerTexts();
  expect(mail).toContain("ann@shop.example");
  expect(mail).toContain("page: <p>.textContent");
  expect(card).toContain("page: <input>.value");

  const found = await searchReport(page, [
    ...Object.values(CANARIES),
    "canarylog",
    "canaryevent",
    "canarynowhere",
  ]);
  expect(found.canarynowhere).toEqual([]);
  const expected = {
    "page: href": ["query", "fragment"],
    "page: <a>.href": ["link"],
    ".textContent": ["text", "heading", "editable"],
    "input: text": ["typed"],
    ".value": ["value", "hidden", "option"],
    ".placeholder": ["placeholder"],
    ".title": ["title"],
    ".alt": ["alt"],
    ".data-user": ["data"],
    "page: <img>.src": ["image"],
    "style": ["style"],
    "breadcrumb: ": ["label", "navigated"],
    "performanceSpan: ": ["imagequery", "fetched"],
    "log: items.body": ["log"],
    "event: exception.": ["user", "event"],
  };
  const missing = Object.entries(expected).flatMap(([place, names]) =>
    names.filter((name) => !found[`canary${name}`]?.some((one) => one.includes(place)))
  );
  expect(missing, JSON.stringify(found, undefined, 1)).toEqual([]);

  // A finding leads to its moment in the recording.
  await personal.getByRole("link").first().click();
  await expect(page).toHaveURL(/recordings\/[\da-f]{32}\?at=\d+/);
});

test("video of a mobile app → its plain text is searched; the rest is not claimed", async ({ page, server }) => {
  const replayId = "6".repeat(32);
  const event = JSON.stringify({ replay_id: replayId, segment_id: 0, urls: ["canaryscreen"] });
  const video = messagePack({ replay_event: event, replay_recording: "{}", replay_video: "mp4" });
  await postEnvelope(server.origin, { event_id: replayId }, ["replay_video", video]);
  await page.goto(`/#/recordings/${replayId}`);
  await openMaskingReport(page);
  const report = page.locator(".masking");
  await expect(report).toContainText("1\u00a0item not JSON: at most their plain text was read.");
  await expect(report).toContainText("Nothing in what was read that looks like one of these");
  const found = await searchReport(page, ["canaryscreen", "canarypicture"]);
  expect(found).toEqual({ canaryscreen: ["replay_video"], canarypicture: [] });
  await expect(report).toContainText("“canarypicture”: not found in what was read");
});

test("found before what is played, or beside it → no link to a moment", async ({ page, server }) => {
  const start = Date.now() - 60_000;
  const [played, incomplete] = ["3".repeat(32), "4".repeat(32)];
  const shown = text(11, "ann@shop.example");
  const segments = [
    { replayId: played, number: 0, events: pageEvents(start, [element(10, "p", {}, [shown])]) },
    { replayId: incomplete, number: 1, events: [addition(start, shown)] },
  ];
  for (const { events, ...segment } of segments) {
    const early = entry(start - 3_000, "breadcrumb", { message: "bob@shop.example" });
    const event = { user: { email: "eve@shop.example" } };
    const body = segmentEnvelope({ ...segment, events: [early, ...events], event });
    await postBody(server.origin, body);
    await page.goto(`/#/recordings/${segment.replayId}`);
    await openMaskingReport(page);
    const found = page.locator(".masking").getByRole("listitem");
    const withLink = found.filter({ hasText: "Play at" });
    await expect(found).toHaveCount(3);
    await expect(withLink).toHaveText(
      segment.replayId === played ? [/ann@shop\.example Play at 0:00/] : [],
    );
  }
});

test("its code did not load → “Try again” shows the report", async ({ page, context, server, watch }) => {
  watch.allow("net::ERR_", "Failed to fetch");
  const replayId = "5".repeat(32);
  const events = pageEvents(Date.now() - 60_000, []);
  await postBody(server.origin, segmentEnvelope({ replayId, number: 0, events }));
  await page.goto(`/#/recordings/${replayId}`);
  const report = page.locator(".masking");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeEnabled();
  await context.setOffline(true);
  await report.locator("summary").press("Enter");
  await expect(report.getByRole("alert")).toContainText("This part of the page did not load.");
  await context.setOffline(false);
  await report.getByRole("button", { name: "Try again" }).click();
  // If the browser has to load the page again, the report is closed then.
  await expect(async () => {
    if (await report.getAttribute("open") === null) await report.locator("summary").press("Enter");
    await expect(page.getByText(/^Read .* of this session/)).toBeVisible({ timeout: 3_000 });
  }).toPass();
});
