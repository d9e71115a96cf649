/** Every view at several widths, with scrollbars that take room: nothing scrolls beside its pane, and names are cut last. */
import type { Page } from "@playwright/test";
import { VIEWS } from "../../islands/shell/registry.ts";
import { error, hexId, log, span } from "../../monitoring/inbox/testdata/envelopes.ts";
import { CHROMIUM_ARGS } from "../../tools/find_chromium.ts";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { postBody, postEnvelope, spanId } from "../harness/browser/posted.ts";
import { pageEvents, segmentEnvelope } from "../harness/recorded_segments.ts";

const WIDTHS = [360, 600, 768, 1024, 1280, 1440, 1520, 2560] as const;
const NAME = "POST /api/checkout/confirmation/of/the/payment";

test.use({
  launchOptions: async ({ chromium }, provide) => {
    const ignoreDefaultArgs = ["--hide-scrollbars"];
    await provide({ executablePath: chromium, args: [...CHROMIUM_ARGS], ignoreDefaultArgs });
  },
});

/** Posts rows for each list, of three applications, some minutes old: their times are long. */
async function postRows(origin: string): Promise<void> {
  const now = Date.now() / 1_000;
  for (const [n, app] of ["shop-web", "shop-api", "assistant-with-a-long-name"].entries()) {
    const at = now - 1_300 - n;
    const sdk = { name: n === 0 ? "sentry.javascript.browser" : "sentry.python" };
    const times = { start_timestamp: at, end_timestamp: at + 5 };
    const vital = {
      "browser.web_vital.lcp.value": { value: 900 },
      "sentry.op": { value: "pageload" },
    };
    await postEnvelope(
      origin,
      { sdk, sender: { environment: "production", release: `${app}@1.4.2` } },
      span(n + 1, {
        ...{ name: NAME, span_id: spanId(n), is_segment: true, ...times },
        ...n === 0 && { name: "/checkout/:id/payment", attributes: vital },
      }),
      // Their mark, with its number, is at the end of the trace's axis.
      ...Array.from(
        { length: 9 },
        (_, line) => log(`line ${line}`, { timestamp: at + 5, trace_id: hexId(n + 1) }),
      ),
      error("no answer of the provider", n + 1, { timestamp: at + 5, event_id: hexId(n + 50) }),
    );
  }
  const events = pageEvents(Date.now() - 1_300_000, []);
  await postBody(origin, segmentEnvelope({ replayId: "7".repeat(32), number: 0, events }));
}

/** What scrolls although its panes do, at a width; and names that are cut. */
const faultsIn = (page: Page) =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll("*")].filter((one) =>
      one.checkVisibility({ visibilityProperty: true })
    );
    const name = ({ tagName, className }: Element) => `${tagName.toLowerCase()}.${className}`;
    const faults: string[] = [];
    for (const one of shown) {
      const { clientWidth, scrollWidth, clientHeight, scrollHeight } = one;
      const isWider = scrollWidth > clientWidth;
      if (one.matches("html, main, .view") && (isWider || scrollHeight > clientHeight)) {
        faults.push(`${name(one)} is larger than the window`);
      }
      if (
        one.matches(".rows, .detail-pane, .sidebar, .list-head, .rows th, .waterfall, .flame") &&
        isWider
      ) {
        faults.push(`${name(one)} is cut: ${one.textContent.slice(0, 20)}`);
      }
    }
    for (const link of shown.filter((one) => one.matches(".row-link"))) {
      const cell = link.closest("td")!.getBoundingClientRect();
      const text = document.createRange();
      text.selectNodeContents(link);
      for (const { right, bottom } of text.getClientRects()) {
        if (right > cell.right || bottom > cell.bottom) faults.push(`${link.textContent} is cut`);
      }
    }
    return [...new Set(faults)];
  });

/** Views, and details of what {@linkcode postRows} has posted. */
const placesOf = (group: string) => [
  ...VIEWS.map(({ id }) => id),
  ...[
    "traces/vitals",
    `traces/${hexId(1)}`,
    `traces/${hexId(1)}?as=flame`,
    `recordings/${"7".repeat(32)}`,
    "envelopes/1",
    `errors/${group}`,
  ],
];

test("phone → at most 100 px above the content of every view; its title above it", async ({ page, server }) => {
  await postRows(server.origin);
  const [{ group }] = await listRows(server.origin, "errors&q=answer");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const place of placesOf(group)) {
    await page.goto(`/?phone#/${place}`);
    const view = page.locator(".view:visible");
    const content = view.locator(":is(.list-head, .detail-head, .connect-guide, .panel):visible");
    await expect(content.first()).toBeVisible();
    const heads = view.locator(":is(.view-head, .list-head, .detail-head):visible");
    const bottoms = heads.or(page.locator(".sidebar")).evaluateAll((heads) =>
      heads.map((head) =>
        getComputedStyle(head).clipPath === "none" ? head.getBoundingClientRect().bottom : 0
      )
    );
    expect(Math.max(...await bottoms), place).toBeLessThanOrEqual(100);
    const title = VIEWS.find(({ id }) => id === place)?.title;
    if (title) await expect(page.locator(".brand .title")).toHaveText(title);
  }
});

test("every view, 360 to 2,560 px → only panes scroll, heads and names of rows are whole", async ({ page, server }) => {
  await postRows(server.origin);
  const [{ group }] = await listRows(server.origin, "errors&q=answer");
  const places = placesOf(group);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 700 });
    for (const place of places) {
      await page.goto(`/?${width}#/${place}`);
      await expect(page.locator(".view:visible").first()).not.toContainText(/^(Loading|Reading)/);
      await expect.poll(() => faultsIn(page), `${place}, ${width} px`).toEqual([]);
    }
  }
});
