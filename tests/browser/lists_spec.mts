/** What all lists have in common: sorting, filters, applications, rows by pointer and keyboard, many rows. */
import type { Locator, Page } from "@playwright/test";
import {
  error,
  hexId,
  log,
  span,
  type TestItem,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import {
  errorEvent,
  nodeEvent,
  postEnvelope,
  postEvents,
  postSpans,
  spanId,
} from "../harness/browser/posted.ts";
import { setHidden } from "../harness/browser/signals.ts";
import { chooseFilter, openView, switcher, traceList } from "../harness/browser/views.ts";

const HOUR_S = 3_600;

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
/** The row that contains a text. */
const row = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text });
const parameters = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);

test("201 traces and groups of errors that arrive oldest last → those of the newest times first", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  const sent = Array.from({ length: 201 }, (_, n) => n);
  const post = (...items: readonly TestItem[]) =>
    postEnvelope(server.origin, { sdk: { name: "sentry.javascript.node" } }, ...items);
  await post(...sent.map((n) => span(n + 1, { name: `job ${n} s ago`, start_timestamp: now - n })));
  await post(
    ...sent.map((n) => error(`fails ${"x".repeat(n + 1)}`, n + 1, { timestamp: now - n })),
  );
  await page.goto("/#/traces");
  await expect(page.locator("tbody a.row-link").first()).toContainText("job 0 s ago");
  await expect(row(page, "job 0 s ago").getByRole("cell", { name: "failed", exact: true }))
    .toBeVisible();
  const words = async (read: string, next: string) => {
    await expect(page.locator(".list-foot:visible .end")).toHaveText(`${read} 200 traces`);
    await expect(page.getByRole("button", { name: `${next} traces` })).toBeVisible();
  };
  await words("newest", "Older");
  await page.goto("/#/traces?sort=started_at");
  await words("oldest", "Newer");
  await page.goto("/#/traces?sort=-spans");
  await words("first", "More");
  await openView(page, "Errors");
  await expect(page.locator("tbody a.row-link").first()).toHaveAccessibleName("TypeError fails x");
});

test("lists sorted and filtered → matching rows, the choice is in the address; web vitals by page", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  const post = (environment: string, ...items: readonly TestItem[]) =>
    postEnvelope(server.origin, {
      sdk: { name: "sentry.javascript.browser" },
      sender: { environment, release: "shop@1" },
    }, ...items);
  const root = (trace: number, name: string, op: string, seconds: number, code: number) =>
    span(trace, {
      name,
      is_segment: true,
      start_timestamp: now - 60,
      end_timestamp: now - 60 + seconds,
      attributes: {
        "sentry.op": { value: op },
        "http.response.status_code": { value: code },
        ...op === "pageload" && { "browser.web_vital.lcp.value": { value: seconds * 1_000 } },
      },
    });
  await post("test", root(1, "GET /a", "http.server", 0.005, 503), error("failed a", 1));
  await post(
    "test",
    root(2, "/basket", "pageload", 5, 200),
    error("failed b", 2),
    error("failed b"),
  );
  await post("production", root(3, "/home", "pageload", 1, 200));

  await page.goto("/#/traces?application=apps");
  const traces = region(page, "Traces");
  const names = traces.locator("tbody a.row-link");
  const duration = traces.getByRole("columnheader", { name: "Duration" });
  await expect(names).toHaveText(["Page load /home", "Page load /basket", "GET /a"]);
  const failed = traces.getByRole("row", { name: "GET /a" });
  await expect(failed.getByRole("cell", { name: "503", exact: true })).toBeVisible();
  await expect(failed.getByTitle("release: shop@1")).toHaveText("1");
  await duration.getByRole("button").press("Enter");
  await expect(duration).toHaveAttribute("aria-sort", "descending");
  await expect(names).toHaveText(["Page load /basket", "Page load /home", "GET /a"]);
  await duration.getByRole("button").press("Enter");
  await expect(names).toHaveText(["GET /a", "Page load /home", "Page load /basket"]);
  expect(page.url()).toContain("sort=duration");
  const filters = [
    ["Operation", "pageload", ["Page load /home", "Page load /basket"]],
    ["Status", "error", ["Page load /basket"]],
    ["Operation", "", ["GET /a", "Page load /basket"]],
    ["Status", "5xx", ["GET /a"]],
    ["Status", "", ["GET /a", "Page load /home", "Page load /basket"]],
    ["Environment", "production", ["Page load /home"]],
  ] as const;
  for (const [filter, value, shown] of filters) {
    await chooseFilter(traces, filter, value);
    await expect(names, `${filter}: ${value}`).toHaveText([...shown]);
  }
  expect(page.url()).toContain("environment=production");
  // A page's own span has no status; a request below it has.
  await chooseFilter(traces, "Status", "5xx");
  await expect(traces).toContainText("the span that a row is named for");
  await expect(traces.getByRole("link", { name: "Search all spans" }))
    .toHaveAttribute("href", /[?&]environment=production&q=status_code%3A500\.\.599$/);
  await chooseFilter(traces, "Status", "");

  await traces.getByRole("link", { name: "Web vitals" }).click();
  await expect(traces.getByRole("row", { name: "/home" })).toContainText(/1\.00\ss good\s*n=1/);
  await traces.getByRole("button", { name: "Remove Environment: production" }).click();
  await traces.getByRole("button", { name: "LCP p75" }).click();
  await expect(names).toHaveText(["/basket", "/home"]);
  await names.first().click();
  await expect(names).toHaveText(["Page load /basket"]);

  await openView(page, "Errors");
  await region(page, "Errors").getByRole("button", { name: "Count" }).click();
  await expect(region(page, "Errors").locator("tbody tr").first()).toContainText("failed b");
});

test("nothing but own rows → stated with a link to Connect; an application sends → gone", async ({ page, server, serverArrivals }) => {
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  const line = page.locator(".view:visible")
    .getByText("No application that names itself has sent anything so far.");
  for (const view of ["envelopes", "logs"]) {
    await page.goto(`/#/${view}`);
    await expect(line).toBeVisible();
  }
  // As `curl` sends it.
  await postEnvelope(server.origin, {}, ["check_in", { monitor_slug: "backup", status: "ok" }]);
  for (const view of ["envelopes", "monitors"]) {
    await page.goto(`/#/${view}`);
    await expect(page.locator(".view:visible").getByRole("link", { name: "backup" }).first())
      .toBeVisible();
    await expect(line).toBeVisible();
  }
  await page.locator(".view:visible").getByRole("link", { name: "Connect your application" })
    .click();
  await expect(page.getByText("No application has sent anything yet.")).toBeVisible();
  await postEvents(server.origin, nodeEvent());
  await page.goto("/#/envelopes");
  await expect(page.locator(".envelopes a.row-link")).not.toHaveCount(0);
  await expect(line).toHaveCount(0);
});

test.describe("first landing", () => {
  test.use({ listsOwnRows: false });

  test("nothing but own rows, not asked for → in no list, nowhere new", async ({ page, server, arrivals, serverArrivals }) => {
    await page.goto("/");
    await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
    await arrivals.waitForItem("the page load", ({ type }) => type === "span");
    const shown = page.locator(".view:visible");
    for (const title of ["Traces", "Logs", "Envelopes"] as const) {
      await openView(page, title);
      await expect(shown).toContainText(`Sightglass’s own ${title.toLowerCase()} are not listed.`);
      await expect(shown.locator("a.row-link, .time-bars")).toHaveCount(0);
    }
    await openView(page, "AI runs");
    await expect(shown).toContainText("Your application sends them");
    await expect(shown).not.toContainText("Sightglass’s own");
    const navigation = page.getByRole("navigation", { name: "Views" });
    await expect(navigation).not.toContainText("new");
    // As `curl` sends it: of no application.
    await postEnvelope(server.origin, {}, ["check_in", { monitor_slug: "backup", status: "ok" }]);
    await page.goto("/");
    await expect(
      page.getByText(/^No monitor that matches the filter has a failed, late or missing run/),
    ).toBeVisible();
    await postEvents(server.origin, nodeEvent());
    await expect(navigation).toContainText("Errors1 new");
    await page.goto("/#/logs?q=order");
    await expect(navigation).not.toContainText("new");
    await page.goto("/#/traces?application=sightglass");
    await expect(shown.locator("a.row-link")).not.toHaveCount(0);
  });
});

test("other applications send → own rows hidden, each can be chosen, in every view and by time", async ({ page, server, arrivals }) => {
  const postRows = (app: string, trace: number, ageS: number) => {
    const timestamp = Date.now() / 1_000 - ageS;
    const sender = { environment: "test", release: `${app}@1` };
    const times = { start_timestamp: timestamp, end_timestamp: timestamp + 1 };
    return postEnvelope(
      server.origin,
      { sdk: { name: "sentry.python" }, sender },
      span(trace, { name: `work of ${app}`, ...times }),
      error(`failure of ${app}`, trace, { timestamp }),
      log(`line of ${app}`, { timestamp }),
    );
  };
  await page.goto("/#/traces");
  await arrivals.waitForItem("the page load", ({ type }) => type === "span");
  await expect(row(page, "Page load /")).not.toHaveCount(0);
  await postRows("shop", 0xa1, 10);
  await postRows("bakery", 0xa2, 2 * HOUR_S);
  // Live: the page was not loaded again.
  await expect(row(page, "work of shop").getByTitle("Sent by: shop")).toBeVisible();
  await expect(row(page, "Page load /")).toHaveCount(0);
  const application = switcher(page);
  await application.selectOption("Everything");
  await expect(row(page, "Page load /")).not.toHaveCount(0);
  await application.selectOption("All applications");
  await expect(row(page, "Page load /")).toHaveCount(0);

  await application.selectOption({
    label: (await application.locator("option").allTextContents())
      .find((text) => text.startsWith("shop "))!,
  });
  await expect(row(page, "work of bakery")).toHaveCount(0);
  const key = parameters(page).get("application");
  expect(key).toMatch(/^[\da-f]{14}$/);
  await openView(page, "Errors");
  const errors = region(page, "Errors");
  const ofBakery = errors.getByRole("link", { name: "failure of bakery" });
  await expect(errors.getByRole("link", { name: "failure of shop" })).toBeVisible();
  await expect(ofBakery).toHaveCount(0);
  expect(parameters(page).get("application")).toBe(key);
  await application.selectOption("");
  await expect(ofBakery).toBeVisible();
  const hour = errors.getByRole("link", { name: "1 h", exact: true });
  await hour.click();
  await expect(ofBakery).toHaveCount(0);
  // A detail and back: the filter is still there.
  await errors.getByRole("link", { name: "failure of shop" }).click();
  await errors.getByRole("link", { name: "All errors" }).click();
  await expect(hour).toHaveAttribute("aria-current", "true");
});

test("each shared filter → in what each view reads, and in each of its links", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  const trace = { start_timestamp: now - 1, end_timestamp: now };
  await postEnvelope(
    server.origin,
    { sdk: { name: "sentry.python" }, sender: { environment: "test", release: "shop@1" } },
    span(0xa1, { name: "work of shop", ...trace }),
    error("failure of shop", 0xa1),
    log("line of shop", { trace_id: hexId(0xa1) }),
  );
  const { rows: [application] } = await (await fetch(
    new URL("/monitoring/inbox?view=errors&application=apps", server.origin),
  )).json();
  const shared = {
    q: "shop",
    application: application.applications[0],
    environment: "test",
    release: "shop@1",
    since: "1d",
    until: String(Date.now() + 60_000),
  };
  const inAll = Object.entries(shared);
  const missing = (query: string) => {
    const params = new URLSearchParams(query);
    return inAll.filter(([name, value]) => params.get(name) !== value).map(([name]) => name);
  };
  const read: URL[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    // Whether an application has sent anything is asked without filters.
    const isList = url.searchParams.has("view") && url.searchParams.get("limit") !== "10";
    if (url.pathname === "/monitoring/inbox" && isList) read.push(url);
  });
  const views = [
    "overview",
    "errors",
    "traces",
    "traces/vitals",
    "logs",
    "recordings",
    "profiles",
    "envelopes",
  ];
  for (const view of views) {
    await test.step(view, async () => {
      await page.goto(`/?${view}#/${view}?${new URLSearchParams(shared)}`);
      const place = page.locator(".view:visible");
      // Nothing was sent that these list.
      if (["recordings", "profiles", "traces/vitals"].includes(view)) {
        await expect(place.getByText(/^No .* match the filter/)).toBeVisible();
        return;
      }
      await expect(place.locator("a.row-link").first()).toBeVisible();
      const links = await page.locator(
        'nav.views a, .view:visible :not(.segmented) > a[href^="#/"]',
      )
        .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).hash));
      for (const link of links) expect(missing(link.split("?")[1] ?? ""), link).toEqual([]);
    });
  }
  expect(read.length).toBeGreaterThan(10);
  for (const url of read) {
    // Applications and counts are of no search.
    const left = url.searchParams.get("view") === "applications" ? ["q"] : [];
    expect(missing(url.search), url.search).toEqual(left);
  }
});

test("detail opened by address → Escape leads back; a menu or a field with text takes it first", async ({ page, server }) => {
  await postEnvelope(server.origin, {}, log("no flour"));
  await postEvents(server.origin, errorEvent("Oops"));
  for (const view of ["Logs", "Errors"]) {
    const name = view.toLowerCase();
    await page.goto(`/?list#/${name}`);
    const href = await page.locator(`.${name} a.row-link`).first().getAttribute("href");
    await page.goto(`/?detail${href}`);
    const back = page.getByRole("link", { name: `All ${name}` });
    await expect(back).toBeVisible();
    await expect(page.locator(":focus")).toHaveCount(0);
    // An error covers its list.
    if (view === "Logs") {
      const filters = region(page, view).getByRole("group", { name: "Filters" });
      await region(page, view).getByRole("button", { name: "Filter", exact: true }).press("Enter");
      await expect(filters).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(filters).toBeHidden();
      await expect(back).toBeVisible();
      const search = region(page, view).getByRole("searchbox");
      await search.fill("o");
      await search.press("Escape");
      await expect(search).toHaveValue("");
      await expect(back).toBeVisible();
      await search.blur();
    }
    await page.keyboard.press("Escape");
    await expect(back).toHaveCount(0);
    await expect(page).toHaveURL(new RegExp(`#/${name}$`));
  }
});

/** Selects the first text of an element with the mouse. */
async function selectText(page: Page, element: Locator): Promise<string> {
  const { left, right, y } = await element.evaluate((element) => {
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const range = document.createRange();
    range.selectNodeContents(texts.find((node) => node.nodeValue?.trim())!);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { left, right, y: (top + bottom) / 2 };
  });
  await page.mouse.move(left + 1, y);
  await page.mouse.down();
  await page.mouse.move(right - 1, y, { steps: 4 });
  await page.mouse.up();
  return await page.evaluate(() => String(getSelection()));
}

test("row by pointer → its text can be selected; click opens it, Ctrl and click in a new tab", async ({ page, context, server }) => {
  await postEvents(server.origin, errorEvent("Oops", "no flour"));
  await page.goto("/#/errors");
  const message = row(page, "Oops").locator("td .one-line").first();
  // Again if a new row moves it meanwhile.
  await expect(async () => expect(await selectText(page, message)).toBe("no flour")).toPass();
  await expect(page).toHaveURL(/#\/errors$/);
  const opened = context.waitForEvent("page");
  await row(page, "Oops").getByRole("cell").last().click({ modifiers: ["ControlOrMeta"] });
  await expect(await opened).toHaveURL(/#\/errors\/[\da-f]{14}$/);
  await expect(page).toHaveURL(/#\/errors$/);
  await page.bringToFront();
  for (const cell of ["first", "last"] as const) {
    await row(page, "Oops").getByRole("cell")[cell]().click();
    await expect(page).toHaveURL(/#\/errors\/[\da-f]{14}$/);
    await page.goBack();
  }
});

test("time passes → how long ago follows the clock, unless hidden; the exact time on hover", async ({ page, server }) => {
  await postEvents(server.origin, errorEvent("Oops"));
  await page.clock.install();
  await page.goto("/#/errors");
  const time = row(page, "Oops").locator("time").last();
  await expect(time).toHaveText(/^\d+\ss\sago$/);
  await expect(time).toHaveAttribute("title", /^\d{1,2}\s[A-Z][a-z]{2}( \d{4})? [\d:]{8}\.\d{3}$/);
  await page.clock.fastForward(5 * 60_000);
  await expect(time).toHaveText(/^5\smin\sago$/);
  await setHidden(page, true);
  await page.clock.fastForward(HOUR_S * 1_000);
  await expect(time).toHaveText(/^5\smin\sago$/);
  await setHidden(page, false);
  await expect(time).toHaveText(/^1\sh\sago$/);
});

/** Three pages of rows. */
const ROWS = 450;
/** Far fewer, and more than a screen and what is rendered beyond its edges. */
const MAX_RENDERED = 80;

/** The element that scrolls the list. */
const frame = (page: Page) => page.locator(".traces .rows");
const links = (page: Page) => traceList(page).locator("a.row-link");
const taskLink = (page: Page, n: number) =>
  links(page).filter({ hasText: new RegExp(`^task ${n}\\b`) });
const topOf = (element: Locator) => element.evaluate((one) => one.getBoundingClientRect().top);

/** Posts traces, the last one the newest, opens their list and loads all rows. */
async function openLongList(page: Page, origin: string): Promise<void> {
  const start = Date.now() / 1000 - 600;
  const tasks = Array.from({ length: ROWS }, (_, n) => ({
    trace_id: hexId(n + 1),
    span_id: spanId(n),
    name: `task ${n} ${"with a long name ".repeat(n % 3 * 4)}`,
    start_timestamp: start + n / 100,
    end_timestamp: start + n / 100 + 0.5,
  }));
  for (let n = 0; n < ROWS; n += 50) await postSpans(origin, tasks.slice(n, n + 50));
  await page.goto("/#/traces");
  for (const shown of [200, 400]) {
    await expect(traceList(page)).toHaveAttribute("aria-rowcount", String(shown + 1));
    // By keyboard: rows that are measured on the way to it may move it away from the pointer.
    await page.getByRole("button", { name: "Older traces" }).press("Enter");
  }
  await expect(traceList(page)).toHaveAttribute("aria-rowcount", String(ROWS + 1));
}

test("450 rows → few are rendered, keys reach all; one opened, each way back → it has the focus where it was", async ({ page, server }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openLongList(page, server.origin);
  await expect(traceList(page).locator('a.row-link[tabindex="0"]')).toHaveCount(1);
  await taskLink(page, ROWS - 1).focus();
  for (const [key, n] of [["End", 0], ["ArrowUp", 1], ["Home", ROWS - 1]] as const) {
    await page.keyboard.press(key);
    await expect(taskLink(page, n)).toBeFocused();
    await expect(taskLink(page, n)).toBeInViewport();
    expect(await links(page).count()).toBeLessThan(MAX_RENDERED);
  }
  await page.keyboard.press("PageDown");
  await expect(page.locator("a.row-link:focus")).toBeInViewport();
  // The focused row stays rendered however far the list is scrolled.
  const name = (await page.locator("a.row-link:focus").textContent())!;
  await frame(page).evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
  await expect(page.locator("a.row-link:focus")).toHaveText(name);

  await page.setViewportSize({ width: 1280, height: 900 });
  const link = taskLink(page, 100);
  await frame(page).evaluate((frame) => frame.scrollTo(0, 0));
  await expect.poll(() =>
    frame(page).evaluate((frame) => {
      const link = [...frame.querySelectorAll("a.row-link")]
        .find(({ textContent }) => /^task 100\b/.test(textContent));
      // At once: rows beyond the edge may go when the heights of others are known.
      link?.scrollIntoView({ block: "center" });
      if (link) return true;
      const before = frame.scrollTop;
      frame.scrollBy(0, frame.clientHeight);
      // On a busy machine it may have been passed before it was rendered.
      if (frame.scrollTop === before) frame.scrollTo(0, 0);
      return false;
    }), { intervals: [100] }).toBe(true);
  // Heights of rows that were rendered for the first time are corrected.
  let before = NaN;
  await expect.poll(async () => Math.abs(before - (before = await topOf(link)))).toBeLessThan(1);
  const expectInPlace = () =>
    expect.poll(async () => Math.abs(await topOf(link) - before)).toBeLessThan(3);
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    Back: () => page.goBack(),
    Escape: () => page.keyboard.press("Escape"),
    "All traces": () => page.getByRole("link", { name: "All traces", exact: true }).press("Enter"),
  };
  for (const [way, goBack] of Object.entries(ways)) {
    await test.step(way, async () => {
      await link.focus();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("heading", { name: /^task 100/ })).toBeFocused();
      await goBack();
      await expect(link).toBeFocused();
      await expectInPlace();
    });
  }
  const now = Date.now() / 1000;
  const times = { start_timestamp: now, end_timestamp: now };
  await postSpans(server.origin, [{
    trace_id: hexId(0xace),
    span_id: spanId(1),
    name: "a new task",
    ...times,
  }]);
  const news = page.getByRole("button", { name: /^Show 1\snew trace$/ });
  await expect(news).toBeVisible();
  await expectInPlace();
  await news.click();
  await expect(page.getByRole("link", { name: /a new task/ })).toBeFocused();
  await expect(page.getByRole("button", { name: /new trace$/ })).toHaveCount(0);
});
