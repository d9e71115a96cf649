/** Every state of every view, as axe and a phone see it. */
import type { Page } from "@playwright/test";
import { BLOCKED_MESSAGES, blockTelemetry } from "./blocked_ways.ts";
import { expect, test } from "./fixtures.ts";
import { expectAccessible, expectNoOverflow } from "./page_look.ts";
import { postEnvelope } from "./posted_envelopes.ts";
import { nodeEvent, postEvents } from "./posted_errors.ts";
import { largeTrace, postSpans, spanId } from "./posted_traces.ts";

const TRACE = "0123456789abcdef0123456789abcdef";
const LISTS = ["traces", "errors", "logs", "envelopes"] as const;
type List = typeof LISTS[number];

const view = (page: Page, name: List) => page.locator(`section.${name}`);
const rows = (page: Page, name: List) =>
  view(page, name).locator(name === "logs" ? '.log [role="row"]' : "a.row-link");
const INBOX = /\/monitoring\/inbox/;

/** A trace, an error and logs of every level. */
async function fill(origin: string): Promise<void> {
  await postSpans(origin, ...largeTrace(TRACE, 40));
  await postEvents(origin, nodeEvent());
  const levels = ["trace", "debug", "info", "warn", "error", "fatal"];
  const items = levels.map((level) => ({
    timestamp: Date.now() / 1000,
    level,
    body: `A message of level ${level} that is long enough to reach the end of a narrow line`,
    trace_id: TRACE,
    attributes: { made_by: { value: "a test", type: "string" } },
  }));
  await postEnvelope(origin, {}, ["log", { items }]);
}

/** Opens the details of a list's first row. */
async function openFirst(page: Page, name: List): Promise<void> {
  await rows(page, name).first().click();
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    /** Nothing overflows at either width; axe looks at the wide page in light, at the narrow one in dark. */
    const sound = (page: Page, what: string) =>
      test.step(what, async () => {
        await expectNoOverflow(page, ...colorScheme === "light" ? [360, 1280] : [1280, 360]);
        await expectAccessible(page);
      });

    test("loading: each list says what it reads", async ({ page }) => {
      // Never answered.
      await page.route(INBOX, () => {});
      for (const name of LISTS) {
        await page.goto(`/?${name}#/${name}`);
        if (name !== "traces") await expect(view(page, name)).toContainText(`Reading ${name}.`);
        await expect(view(page, name)).toContainText("Connecting.");
        await sound(page, name);
      }
      await page.goto(`/?trace#/traces/${TRACE}`);
      await expect(view(page, "traces")).toContainText("Reading the trace.");
      await sound(page, "a trace");
      await page.goto("/?error#/errors/0123456789abcd");
      await expect(view(page, "errors")).toContainText("Reading the error.");
      await sound(page, "an error");
      await page.goto("/?envelope#/envelopes/1");
      await expect(view(page, "envelopes")).toContainText("Reading the envelope.");
      await sound(page, "an envelope");
    });

    test("empty: each list says what is not there, and why", async ({ page, server, serverArrivals, watch }) => {
      watch.allow(...BLOCKED_MESSAGES);
      await blockTelemetry(page);
      await page.goto("/");
      await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
      await serverArrivals.waitForItem("the server's spans", ({ type }) => type === "span");
      await fetch(`${server.origin}/monitoring/inbox`, { method: "DELETE" });
      for (const name of LISTS) {
        await page.goto(`/#/${name}`);
        await expect(view(page, name)).toContainText(`No ${name} of this visit come here`);
        await sound(page, name);
      }
      await page.goto("/#/");
      await expect(page.getByText("The inbox is empty.")).toBeVisible();
      await sound(page, "overview");
    });

    test("full, narrowed to nothing, and with what is in them open", async ({ page, server, watch }) => {
      watch.allow("404");
      await fill(server.origin);
      for (const name of LISTS) {
        await page.goto(`/#/${name}`);
        await expect(rows(page, name).first()).toBeVisible();
        await sound(page, name);
        await page.goto(`/#/${name}?q=nothing+has+this+in+it`);
        await expect(view(page, name)).toContainText(`No ${name} fit what is asked for.`);
        await sound(page, `${name} that do not fit`);
      }
      await page.goto(`/#/traces/${TRACE}?span=${spanId(3)}`);
      await expect(page.locator(".span-detail")).toContainText("step 3");
      await sound(page, "a span");
      await page.goto("/#/errors");
      await openFirst(page, "errors");
      await expect(page.getByRole("article")).toBeVisible();
      await sound(page, "an error");
      await page.goto("/#/logs");
      await openFirst(page, "logs");
      await expect(page.getByRole("link", { name: "Open its envelope" })).toBeVisible();
      await sound(page, "a log");
      await page.goto("/#/envelopes");
      await openFirst(page, "envelopes");
      await expect(page.getByText("Envelope header")).toBeVisible();
      await sound(page, "an envelope");
      for (const [what, place] of Object.entries(NOT_THERE)) {
        await page.goto(`/${place}`);
        await expect(page.locator(".view:visible .empty")).toContainText(/here|gone|no longer/);
        await sound(page, `${what} that is not there`);
      }
    });

    for (
      const [how, answer] of [
        ["the inbox answers 500", { status: 500 }],
        ["the inbox is out of reach", undefined],
      ] as const
    ) {
      test(`failed, because ${how}: lists and what is in them say so, and can be asked again`, async ({ page, watch }) => {
        watch.allow("status of 500", "ERR_INTERNET_DISCONNECTED");
        await page.route(
          INBOX,
          (route) => answer ? route.fulfill(answer) : route.abort("internetdisconnected"),
        );
        await page.goto("/");
        await expect(page.getByText("The inbox does not answer; trying again.")).toBeVisible();
        await expect(page.getByText("The inbox is empty.")).toHaveCount(0);
        await sound(page, "overview");
        const places = [
          ...LISTS.map((name) => `#/${name}`),
          `#/traces/${TRACE}`,
          "#/errors/0123456789abcd",
          "#/envelopes/1",
        ];
        for (const place of places) {
          await page.goto(`/${place}`);
          await expect(page.locator(".view:visible").getByRole("button", { name: "Try again" }))
            .toBeVisible();
          await sound(page, place);
        }
      });
    }

    test.describe("refused", () => {
      test.use({ serverEnv: { INBOX_TOKEN: "open-sesame" } });

      test("access refused: each view asks for the token, once", async ({ page, server, watch }) => {
        watch.allow("403");
        await fill(server.origin);
        const elsewhere = `http://sightglass.localhost:${server.port}`;
        const places = [
          "#/",
          ...LISTS.map((name) => `#/${name}`),
          `#/traces/${TRACE}`,
          "#/errors/0123456789abcd",
          "#/envelopes/1",
        ];
        for (const place of places) {
          await page.goto(`${elsewhere}/${place}`);
          const shown = page.locator(".view:visible");
          await expect(shown.getByLabel("Inbox token")).toHaveCount(1);
          await expect(shown.getByLabel("Inbox token")).toBeVisible();
          await expect(shown.getByRole("alert")).toHaveCount(0);
          await sound(page, place);
        }
      });

      test("the token that is entered in a detail shows that detail", async ({ page, context, server, watch }) => {
        watch.allow("403");
        await fill(server.origin);
        const bearer = { headers: { Authorization: "Bearer open-sesame" } };
        const { rows: [error] } =
          await (await fetch(`${server.origin}/monitoring/inbox?view=errors`, bearer)).json();
        const { envelopes } = await (await fetch(`${server.origin}/monitoring/inbox`, bearer))
          .json();
        const places = [
          [`#/traces/${TRACE}`, "step 3"],
          [`#/errors/${error.group}`, "All servers failed"],
          [`#/envelopes/${envelopes.at(-1).id}`, "Envelope header"],
        ] as const;
        for (const [place, content] of places) {
          await context.clearCookies();
          await page.goto(`http://sightglass.localhost:${server.port}/?${place.length}${place}`);
          const shown = page.locator(".view:visible");
          await shown.getByLabel("Inbox token").fill("open-sesame");
          await page.keyboard.press("Enter");
          await expect(shown).toContainText(content);
          await expect(shown.getByLabel("Inbox token")).toHaveCount(0);
        }
      });
    });
  });
}

/** Places that nothing is at. */
const NOT_THERE = {
  "a trace": `#/traces/${"f".repeat(32)}`,
  "an error": "#/errors/0123456789abcd",
  "an envelope": "#/envelopes/999999",
};
