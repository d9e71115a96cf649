/** Recordings of real pages, played back and compared with what the pages were. */
import type { Page } from "@playwright/test";
import { isDeepStrictEqual } from "node:util";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { serveApplication, startSdk } from "../harness/browser/application_site.ts";
import { expect, listRows, test as withServer } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { errorEvent, postBody, postEnvelope } from "../harness/browser/posted.ts";
import { ERRORS, make, openPage, sampleRecording, sendButton } from "../harness/browser/signals.ts";
import {
  addition,
  element,
  entry,
  pageEvents,
  segmentEnvelope,
  text,
} from "../harness/recorded_segments.ts";
import { openMaskingReport } from "../harness/browser/views.ts";

/** A shop: typing, clicks, a list that changes, a navigation. */
const SHOP = `${startSdk("shop@1.0.0", "useCompression: false")}
  const list = document.querySelector("ul");
  const add = () => {
    const item = document.createElement("li");
    item.textContent = document.querySelector("input").value;
    list.append(item);
    Sentry.logger.info("Added an item");
    // Within another one: on a slow machine the page load's has ended.
    Sentry.startSpan({ name: "add an item" }, () =>
      Sentry.startSpan({ name: "render the list", op: "ui.render" }, () => list.offsetHeight));
  };
  document.querySelector("#add").onclick = add;
  document.querySelector("#remove").onclick = () => list.firstElementChild.remove();
  document.querySelector("#pay").onclick = () => {
    history.pushState({}, "", "/paid" + location.search);
    document.querySelector("main").innerHTML = "<h2>Paid</h2><p style='color: green'>Thank you</p>";
    setTimeout(() => { throw new Error("The receipt failed"); });
  };
  globalThis.flushRecording = () => replay.flush();
  // As for an error that was sent before its page was closed, and the frames were not.
  globalThis.failLater = async () => {
    const tags = { replayId: replay.getReplayId() };
    await replay.stop();
    for (const text of ["The first failed", "The second failed"]) {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      Sentry.captureException(new Error(text), { tags });
    }
  };
`;

const SHOP_PAGE = `<!doctype html><meta charset="utf-8"><title>Shop</title>
  <link rel="icon" href="data:,"><style>li { color: blue }</style>
  <h1>Shop</h1><main><input placeholder="Item"><button id="add">Add</button>
  <button id="remove">Remove</button><button id="pay">Pay</button><ul></ul></main>
  <script type="module" src="/app.js"></script>`;

const test = withServer.extend<object, { shop: number }>({
  shop: [async ({ browserName: _browserName }, provide) => {
    await using site = await serveApplication(SHOP, SHOP_PAGE);
    await provide(site.port);
  }, { scope: "worker" }],
});

/** Runs in a page, or in a recording of it: its elements and masked texts now. */
function describePage(): string[] {
  const lines: string[] = [];
  const isLeftOut = (element: Element) =>
    element.matches("script, style, link, meta, noscript, template, title, head, [hidden]");
  const walk = (element: Element) => {
    if (isLeftOut(element)) return;
    const name = element.tagName.toLowerCase();
    if (element.matches("[data-rr-blocked], [data-sentry-block], svg, img")) {
      lines.push(`${name} blocked`);
      return;
    }
    const own = [...element.childNodes].filter((node) => node.nodeType === 3)
      .map((node) => node.textContent!.replace(/\S/g, "*").replace(/\s+/g, " ").trim());
    const value = element.matches("input:not([type=radio], [type=checkbox]), textarea")
      ? (element as HTMLInputElement).value.replace(/./g, "*")
      : "";
    lines.push([name, ...own, value].filter(Boolean).join(" "));
    for (const child of element.children) walk(child);
  };
  walk(document.body);
  return lines;
}

/** A page at a moment. */
interface SeenPage {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly lines: readonly string[];
}

/** Time between a description and the changes before and after it: recorded times are rounded. */
const MARGIN_MS = 120;

/** Describes the page in the middle of a time in which it does not change. */
async function lookAt(page: Page): Promise<SeenPage> {
  let lines: readonly string[] = [];
  let [since, until] = [NaN, NaN];
  await expect.poll(async () => {
    until = Date.now();
    const now = await page.evaluate(describePage);
    if (!isDeepStrictEqual(now, lines)) [lines, since] = [now, Date.now()];
    return until - since;
  }, { message: "milliseconds without a change", intervals: [20] }).toBeGreaterThan(2 * MARGIN_MS);
  return { at: Math.round((since + until) / 2), lines };
}

/** Expects what the player, or a picture, shows soon. */
async function expectPlayed<T>(
  page: Page,
  describe: () => T,
  expected: T,
  { place = ".player", message = "" } = {},
) {
  // A player that begins again has another frame, or for a moment a page without a body.
  await expect(async () => {
    const handle = await page.locator(`${place} iframe`).elementHandle();
    const frame = await handle!.contentFrame();
    expect<unknown>(await frame!.evaluate(describe), message).toEqual(expected);
  }).toPass();
}

/** Expects the recording to show the page as it was at each moment. */
async function expectSeen(page: Page, id: string, seen: readonly SeenPage[]) {
  for (const { at, lines } of seen) {
    await page.evaluate((hash) => void (location.hash = hash), `#/recordings/${id}?at=${at}`);
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeEnabled();
    await expectPlayed(page, describePage, lines);
  }
}

test("application used → each state plays as it was, masked; events lead to it", async ({ page, server, shop, watch }) => {
  watch.allow("The receipt failed");
  await page.goto(`http://localhost:${shop}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  const seen: SeenPage[] = [];
  const look = async () => void seen.push(await lookAt(page));
  await page.waitForFunction(() => "flushRecording" in globalThis);
  await look();
  await page.getByPlaceholder("Item").fill("Secret tea");
  await page.locator("#add").click();
  await look();
  await page.getByPlaceholder("Item").fill("Coffee");
  await page.locator("#add").click();
  await page.locator("#remove").click();
  await look();
  const flush = () => page.evaluate("flushRecording()");
  await flush();
  await page.locator("#pay").click();
  await look();
  await flush();
  const rows = () => listRows(server.origin, "recordings&application=apps");
  await expect.poll(async () => (await rows())[0]?.ended_at ?? 0)
    .toBeGreaterThan(seen.at(-1)!.at);
  const [row] = await rows();
  expect(row).toMatchObject({ kind: "page", missing: 0, doubled: 0 });

  await page.goto("/#/recordings");
  await expectPlayed(
    page,
    describePage,
    expect.arrayContaining(["h1 ****"]),
    { place: ".recordings .still" },
  );
  await expect(page.locator(".recording-marks .of-error")).toHaveCount(1);
  await expect(page.locator(".recordings td.lead")).toContainText(["→ /paid"]);
  await expect(page.locator(".recordings td.lead")).toContainText(["1 error"]);
  await page.locator(".recordings td.lead").getByRole("button", { name: "2 pages" }).click();
  const values = page.getByRole("group", { name: /^page: .*, kind: page$/ });
  await values.getByRole("link", { name: "Not this" }).last().click();
  await expect(page.getByText("No recordings match the filter")).toBeVisible();
  await page.goBack();
  await page.getByRole("link", { name: /^\/\?dsn=/ }).click();
  await expectSeen(page, row.replay_id, seen.toReversed());

  const kinds = page.getByRole("list", { name: "Events in order of time" });
  // First what a person did, and what failed.
  await expect(kinds.locator(".of-click").first()).toBeVisible();
  await expect(kinds.locator(".of-log, .of-trace")).toHaveCount(0);
  const texts = {
    error: "The receipt failed",
    log: "Added an item",
    span: "render the list",
    trace: "Page load /",
    click: "main > button#add",
    navigation: "/paid",
  };
  const resources = kinds.locator(".of-resource");
  await expect(kinds.locator(".of-click").first()).toBeVisible();
  await expect(resources).toHaveCount(0);
  await page.getByRole("combobox", { name: "Kind of events" }).selectOption("all");
  await expect(resources.filter({ hasText: "/app.js" })).toBeVisible();
  for (const [kind, text] of Object.entries(texts)) {
    const listed = kinds.getByRole("listitem").filter({ hasText: text })
      .filter({ has: page.locator("small", { hasText: kind }) });
    await expect(listed.first(), kind).toBeVisible();
  }
  // From each view to the moment in the recording.
  for (const kind of ["error", "log", "span"]) {
    await kinds.locator(`.of-${kind} a`).last().click();
    const view = page.locator("section:visible");
    if (kind === "error") {
      await expectPlayed(page, describePage, seen.at(-1)!.lines, { place: ".errors .still" });
    }
    if (kind === "log") await view.getByText("Added an item").first().click();
    await view.getByRole("link", { name: "Play at this moment" }).first().click();
    await expect(page).toHaveURL(new RegExp(`#/recordings/${row.replay_id}\\?at=\\d+`));
  }
});

test("segments missing, late, doubled, no JSON → played in order, reported; by keyboard, accessible", async ({ page, server }) => {
  const start = Date.now() - 60_000;
  const replayId = "7".repeat(32);
  const line = (seconds: number) =>
    addition(
      start + seconds * 1_000,
      element(100 + seconds, "p", {}, [text(200 + seconds, "x".repeat(seconds))]),
    );
  const early = addition(start - 5_000, element(95, "p"));
  // From 500 ms before, as the recorder collects moves.
  const positions = [{ x: 1, y: 1, id: 5, timeOffset: -500 }];
  const moved = { type: 3, timestamp: start + 31_300, data: { source: 1, positions } };
  const vital = (seconds: number) => {
    const timestamp = start + seconds * 1_000;
    const payload = { op: "web-vital", description: "LCP", startTimestamp: timestamp / 1_000 };
    return { type: 5, timestamp, data: { tag: "performanceSpan", payload } };
  };
  // The SDK reports a rage click once more.
  const clicks = ["ui.click", "ui.slowClickDetected"].map((category) =>
    entry(start + 3_000, "breadcrumb", {
      category,
      message: "button#pay",
      data: { clickCount: 5, endReason: "timeout" },
    })
  );
  // The SDK lists an address only in the segment in which it was opened.
  const event = { urls: [], request: { url: "https://shop.example/cart" } };
  const segments = [
    {
      number: 1,
      events: [early, ...pageEvents(start, []), vital(-3), vital(2), ...clicks, line(4)],
    },
    { number: 4, events: [line(31), moved, line(40)] },
    { number: 2, events: [line(11), line(19)] },
    // Not byte for byte the same, which the relay would recognise.
    { number: 4, events: [line(31), moved, line(40)], event: { ...event, platform: "other" } },
  ];
  for (const segment of segments) {
    await postBody(server.origin, segmentEnvelope({ replayId, event, ...segment }));
  }
  const broken = new TextEncoder().encode('{"segment_id":5}\n[{"type":3,');
  await postEnvelope(
    server.origin,
    { event_id: replayId },
    ["replay_event", { type: "replay_event", replay_id: replayId, segment_id: 5 }],
    ["replay_recording", broken],
  );
  const asked = Promise.withResolvers<void>();
  await page.route("**/monitoring/inbox?view=recording&*", async (route) => {
    await asked.promise;
    await route.continue();
  });
  await page.goto(`/#/recordings/${replayId}`);
  const view = page.getByRole("region", { name: "Recordings", exact: true });
  const events = view.getByRole("region", { name: "Events" });
  const kinds = events.getByRole("combobox");
  await expect(view.getByRole("button", { name: "Play", exact: true })).toBeEnabled();
  await expect(kinds.locator("option")).toHaveText(["What happened", "All kinds"]);
  await expect(events).toContainText("Loading the events.");
  asked.resolve();
  await expect(kinds.locator("option")).toHaveText([
    "What happened (1)",
    "All kinds (3)",
    "Web vitals",
    "Reported clicks",
  ]);
  await expect(view.locator(".lane.of-click > span")).toHaveText("Reported clicks 1");
  await expect(events.getByRole("listitem")).toContainText("button#pay (5 clicks, no reaction)");
  await expect(view.locator(".lane.of-vital > span")).toHaveText("Web vitals 1 of 2");
  await expect(view.locator(".lane.of-vital a")).toHaveCount(1);
  const problems = [
    "Missing before what is played: segment 0.",
    "1 change not played: before the first complete picture.",
    "Missing: segment 3.",
    "1 segment arrived again",
    /Envelope \d+: its events are not JSON\./,
  ];
  for (const problem of problems) await expect(view).toContainText(problem);
  await expect(view.locator(".time-line .gap")).toHaveCount(1);
  // The slider is above it.
  const gap = (await view.locator(".time-line .gap").boundingBox())!;
  await page.mouse.move(gap.x + gap.width / 2, gap.y + gap.height / 2);
  await expect(view.getByTitle(/^No frames for .+: segment 3 missing$/)).toBeVisible();
  const play = view.getByRole("button", { name: "Play", exact: true });
  await expect(play).toBeEnabled();
  const paragraphs = () => document.querySelectorAll("p").length;
  const clock = view.locator("output").first();
  // The page was empty before.
  await expect(clock).toHaveText("0:04 / 0:40");
  await view.getByRole("slider", { name: "Position" }).focus();
  const keys = [["End", "0:40", 5], ["Home", "0:00", 0], ["ArrowRight", "0:05", 1]] as const;
  for (const [key, time, lines] of keys) {
    await page.keyboard.press(key);
    await expect(clock).toHaveText(`${time} / 0:40`);
    await expectPlayed(page, paragraphs, lines);
  }
  const outside = view.getByText("time that was asked for is not recorded");
  for (
    const [seconds, text] of [[-9, "0:09 before the start"], [50, "0:10 after the end"]] as const
  ) {
    await page.evaluate(
      (hash) => void (location.hash = hash),
      `#/recordings/${replayId}?at=${start + seconds * 1_000}`,
    );
    await expect(outside).toContainText(text);
  }
  for (const [seconds, lines] of [[31.4, 4], [30.9, 3], [31.4, 4], [35, 4]] as const) {
    const at = start + seconds * 1_000;
    await page.evaluate((hash) => void (location.hash = hash), `#/recordings/${replayId}?at=${at}`);
    await expectPlayed(page, paragraphs, lines, { message: `${seconds} s` });
  }
  await expect(outside).toHaveCount(0);
  await page.keyboard.press("s");
  await expect(view.getByLabel("Skip inactivity")).toBeChecked();
  await expectAccessibleLayout(page, "a recording with a gap");
  await view.getByRole("slider", { name: "Position" }).press("Home");
  await play.press(" ");
  await expect(view.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  await view.getByLabel("Speed").selectOption("8×");
  await expectPlayed(page, paragraphs, 5);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/#\/recordings$/);
  const card = page.locator(".recordings tr").filter({ hasText: "/cart" });
  await expect(card.locator("div.facts")).toHaveText(/^1\spage, 1\sclick reported1\srage click$/);
  await expect(card.locator("small .facts")).toContainText("2 missing");
  // A line of its own, and nothing below it.
  const [cardBox, last] = [await card.boundingBox(), await card.locator("small").boundingBox()];
  expect(cardBox!.y + cardBox!.height - last!.y - last!.height).toBeLessThan(14);
  await expect(card.locator(".recorded")).toHaveText(/^1:\d\d$/);
  await expect(card.locator("time.ago")).toHaveText(/ago$/);
  const [pages, time] = [card.locator(".pages"), card.locator("time.ago")];
  const [left, right] = [await pages.boundingBox(), await time.boundingBox()];
  expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x);
});

test("error at an unknown time, and a warning → its recording; both counted, one drawn, not in red", async ({ page, server }) => {
  const start = Date.now() - 60_000;
  const replay_id = "9".repeat(32);
  const events = [...pageEvents(start, []), addition(start + 40_000, element(100, "p"))];
  await postBody(server.origin, segmentEnvelope({ replayId: replay_id, number: 0, events }));
  const trace = { trace_id: hexId(9), replay_id };
  const error = errorEvent("Error", "an hour ago", {
    contexts: { trace: { trace_id: hexId(9) } },
    timestamp: start / 1_000 - 3_600,
  });
  const warning = { ...error, level: "warning", timestamp: start / 1_000 + 9 };
  await postEnvelope(
    server.origin,
    { sdk: { name: "sentry.python" }, trace },
    ["event", error],
    ["event", { ...warning, exception: { values: [{ type: "Slow", value: "stock" }] } }],
  );
  await page.goto("/#/errors");
  await page.getByRole("link", { name: /an hour ago/ }).click();
  await expect(page.getByRole("article").getByTitle(/, by its sender’s clock/)).toBeVisible();
  const link = page.getByRole("article").getByRole("link", {
    name: "Open recording, moment unknown",
  });
  await expect(link).toHaveAttribute("href", `#/recordings/${replay_id}`);
  await link.click();
  const view = page.getByRole("region", { name: "Recordings", exact: true });
  await expect(view.getByRole("article")).toContainText(/2\serrors/);
  await expect(view.locator(".events .of-error")).toHaveText([/^\?.*an hour ago$/, /stock$/]);
  await expect(view.locator("output").first()).toContainText("/ 0:40");
  const lane = view.locator(".lane.of-error");
  await expect(lane.getByTitle(/^1 outside of this time, or at an/)).toHaveText("Errors 1 of 2");
  await expect(lane.locator("a")).toHaveClass("waits");
  await page.keyboard.press("e");
  await expect(view.getByRole("button", { name: "Next error" })).toBeDisabled();
});

test("the player's keys → on the page and in the whole detail; fields, buttons, links keep theirs", async ({ page, server }) => {
  const start = Date.now() - 60_000;
  const replayId = "6".repeat(32);
  const events = [...pageEvents(start, []), addition(start + 40_000, element(100, "p"))];
  await postBody(server.origin, segmentEnvelope({ replayId, number: 0, events }));
  await page.goto(`/#/recordings/${replayId}`);
  const view = page.getByRole("region", { name: "Recordings", exact: true });
  const heading = view.getByRole("heading", { name: "Recording of /cart" });
  const wide = view.getByRole("button", { name: "Full width" });
  const play = view.getByRole("button", { name: "Play", exact: true });
  const skips = view.getByLabel("Skip inactivity");
  const clock = view.locator("output").first();
  await expect(play).toBeEnabled();
  await expect(page.locator(":focus")).toHaveCount(0);
  for (const place of [undefined, heading, wide, view.getByRole("link", { name: "Envelopes" })]) {
    await place?.focus();
    const keys = [["End", 40], ["ArrowLeft", 35], ["Home", 0], ["ArrowRight", 5]] as const;
    for (const [key, seconds] of keys) {
      await page.keyboard.press(key);
      await expect(clock).toHaveText(`0:${String(seconds).padStart(2, "0")} / 0:40`);
    }
    for (const isChecked of [true, false]) {
      await page.keyboard.press("s");
      await expect(skips).toBeChecked({ checked: isChecked });
    }
  }
  await wide.press(" ");
  await expect(wide).toHaveAttribute("aria-pressed", "true");
  await heading.press("f");
  await expect(wide).toHaveAttribute("aria-pressed", "false");
  await expect(play).toBeVisible();
  await heading.press(" ");
  await expect(view.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  await heading.press(" ");
  await expect(play).toBeVisible();
  await view.getByLabel("Speed").press("End");
  await expect(view.getByLabel("Speed")).toHaveValue("8");
  await expect(clock).not.toContainText("0:40 / ");
  await openMaskingReport(page);
  const searched = view.getByRole("region", { name: "Texts that must not appear" })
    .getByRole("textbox");
  await searched.pressSequentially("s f");
  await expect(searched).toHaveValue("s f");
  await expect(skips).not.toBeChecked();
});

test("own page used → each state plays as it was, masked", async ({ page, server, watch }) => {
  watch.allow(ERRORS.handled, ERRORS.uncaught);
  await sampleRecording(page, true);
  await openPage(page);
  await sendButton(page).click();
  const seen = [await lookAt(page)];
  await make(page, "uncaught");
  seen.push(await lookAt(page));
  const rows = () => listRows(server.origin, "recordings");
  await expect.poll(async () => (await rows())[0]?.ended_at ?? 0)
    .toBeGreaterThan(seen[1]!.at);
  const [{ replay_id }] = await rows();
  await expectSeen(page, replay_id, seen);
});

/** Components share an adopted style sheet, as those of Lit, Stencil and Shoelace do. */
const COMPONENTS = `${startSdk("cards@1.0.0", "useCompression: false")}
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("b { color: rgb(1, 2, 3) }");
  customElements.define("x-card", class extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
      const render = () => this.shadowRoot.innerHTML = "<b>Card</b>";
      if (this.className === "late") setTimeout(render, 200);
      else render();
    }
  });
  const add = (html) => document.body.insertAdjacentHTML("beforeend", html);
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  globalThis.use = async () => {
    // The recorder reports the sheet with the first component, which it leaves out.
    add("<div class='sentry-block'><x-card></x-card></div>");
    await wait(100);
    add("<x-card class='late'></x-card><x-card></x-card><x-card class='moved'></x-card>");
    await wait(400);
    sheet.insertRule("b { opacity: 0.5 }");
    await wait(100);
    document.body.prepend(document.querySelector(".moved"));
    await wait(100);
    await replay.flush();
    return replay.getReplayId();
  };`;

/** Runs in a page, or in a recording of it: the look of its components. */
const describeCards = () =>
  [...document.querySelectorAll("body > x-card")].map(
    ({ className, shadowRoot }) => {
      const { color, opacity } = getComputedStyle(shadowRoot!.querySelector("b")!);
      return [className, color, opacity];
    },
  );

test("web components with adopted style sheets, in any order → drawn with them, sought and played", async ({ page, server }) => {
  await using site = await serveApplication(
    COMPONENTS,
    '<!doctype html><title>Cards</title><link rel="icon" href="data:,"><script type="module" src="/app.js"></script>',
  );
  await page.goto(`http://localhost:${site.port}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  await page.waitForFunction(() => "use" in globalThis);
  const id = await page.evaluate("use()");
  const look = await page.evaluate(describeCards);
  expect(look).toEqual(["moved", "late", ""].map((name) => [name, "rgb(1, 2, 3)", "0.5"]));
  await expect.poll(() => listRows(server.origin, "recordings&application=apps")).toHaveLength(1);
  await page.goto(`/#/recordings/${id}`);
  const view = page.getByRole("region", { name: "Recordings", exact: true });
  const play = view.getByRole("button", { name: "Play", exact: true });
  await expect(play).toBeEnabled();
  await page.keyboard.press("End");
  await expectPlayed(page, describeCards, look, { message: "sought" });
  await page.keyboard.press("Home");
  await expectPlayed(page, describeCards, []);
  await play.click();
  await expectPlayed(page, describeCards, look, { message: "played" });
});

test("page loaded again, errors after the last frame → gaps, in order of time, to the last event", async ({ page, server, shop }) => {
  await page.goto(`http://localhost:${shop}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  await page.waitForFunction(() => "flushRecording" in globalThis);
  await page.locator("#add").click();
  await page.waitForTimeout(MARGIN_MS);
  await page.evaluate("flushRecording()");
  await page.route("**/app.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await route.continue();
  });
  const loading = Date.now() + 1_000;
  await page.reload();
  await page.waitForFunction(() => "flushRecording" in globalThis);
  const again = await lookAt(page);
  await page.evaluate("flushRecording()");
  await page.evaluate("failLater()");
  const rows = () => listRows(server.origin, "recordings&application=apps");
  await expect.poll(async () => (await rows())[0]?.errors).toBe(2);
  const [{ replay_id, started_at, ended_at }] = await rows();
  await page.goto("/#/recordings");
  await expect(page.locator(".recording-marks .of-error")).toHaveCount(2);

  const show = (at: number) => {
    const hash = `#/recordings/${replay_id}?at=${Math.round(at)}`;
    return page.evaluate((hash) => void (location.hash = hash), hash);
  };
  await show(loading);
  const view = page.getByRole("region", { name: "Recordings", exact: true });
  const clock = view.locator("output").first();
  const noFrames = view.getByText(/^No frames for [2-9]\.\d+\ss$/);
  await expect(noFrames).toBeVisible();
  await expect(view.locator(".time-line .gap")).toHaveCount(2);
  await expect(view.locator(".lane.of-error a")).toHaveCount(2);
  const errors = view.locator(".events .of-error");
  await expect(errors.locator(".one-line")).toHaveText(["The first failed", "The second failed"]);
  await show(again.at);
  await expect(noFrames).toHaveCount(0);
  await expectPlayed(page, describePage, again.lines);
  await page.keyboard.press("End");
  await expect(noFrames).toBeVisible();
  const seconds = async (text: Promise<string>) => Number(/0:(\d\d)$/.exec(await text)![1]);
  expect(await seconds(clock.innerText())).toBeGreaterThan(
    (ended_at - started_at + 2_000) / 1_000 - 1,
  );
  await expect(errors.last()).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("Home");
  for (const error of [errors.first(), errors.last()]) {
    await page.keyboard.press("e");
    await expect(error).toHaveAttribute("aria-current", "true");
  }
  await expect(view.getByRole("button", { name: "Next error" })).toBeDisabled();
  const play = view.getByRole("button", { name: "Play", exact: true });
  await page.keyboard.press("Home");
  await play.click();
  await expect(clock).toHaveText(/^0:0[2-9]/);
  await expect(view.locator(".player .pointer")).toBeVisible();
  await expect(view.locator(".player .pointer.pressed"), "a click has no end").toHaveCount(0);
  await view.getByRole("button", { name: "Pause", exact: true }).click();
  // It plays to its end, too.
  await show(ended_at);
  await play.click();
  await expect(errors.last()).toHaveAttribute("aria-current", "true");
});
