/** Telemetry blocked in different ways: every view shows a message and works. */
import type { Page } from "@playwright/test";
import { VIEWS, viewsOf } from "../../islands/shell/registry.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import {
  BLOCKED_MESSAGES,
  BLOCKED_WAYS,
  type BlockedWay,
  blockLaterScripts,
} from "../harness/browser/requests.ts";
import { ERRORS, sendButton } from "../harness/browser/signals.ts";
import { openView, pipeline } from "../harness/browser/views.ts";

const LISTS = ["traces", "errors", "logs", "envelopes"];
const view = (page: Page, name: string) => page.locator(`.view.${name}`);

for (const [name, way] of Object.entries(BLOCKED_WAYS)) {
  for (const mode of way.modes) {
    test.describe(mode, () => {
      test.use({ mode });

      test(`${name} → every view shows a message and works`, async ({ page, watch }) => {
        watch.allow(...BLOCKED_MESSAGES, ERRORS.handled);
        await way.block(page);
        await page.goto("/");
        await openView(page, "Settings");
        await sendButton(page).click();
        await expect(
          page.getByText("An error and a log were made").or(
            page.getByText("An error, a log and a span were made."),
          ),
        ).toBeVisible();
        for (const { id: view, title } of viewsOf(mode)) {
          await test.step(view, async () => {
            await openView(page, title);
            await expect(page.locator("html")).toHaveAttribute("data-view", view);
            await expect(pipeline(page)).toContainText(way.message);
            const list = LISTS.find((list) => list === view);
            if (list !== undefined) await expectListWorks(page, list, mode, way);
          });
        }
      });
    });
  }
}

test("script of a view does not load → the view shows a message, the page works", async ({ page, watch }) => {
  watch.allow(...BLOCKED_MESSAGES);
  await blockLaterScripts(page);
  await page.goto("/");
  for (const { id: name, title } of VIEWS.filter(({ id }) => [...LISTS, "settings"].includes(id))) {
    await openView(page, title);
    const alert = view(page, name).getByRole("alert");
    await expect(alert).toContainText("This part of the page did not load.");
    await expect(view(page, name)).not.toContainText(/Loading|Reading|Connecting/);
    await expect(pipeline(page)).toContainText(
      /Telemetry of this console failed|This part of the page did not load/,
    );
  }
  await openView(page, "Overview");
  await expect(view(page, "overview")).toBeVisible();
});

/** The open list has rows or a message; its search filters. */
async function expectListWorks(
  page: Page,
  name: string,
  mode: "inbox" | "relay",
  { hidesInbox, hasNoData, message }: BlockedWay,
): Promise<void> {
  const list = view(page, name);
  await expect(list).not.toContainText(/Loading|Reading|Connecting/);
  if (hidesInbox && mode === "inbox") {
    await expect(list).toContainText("Retrying.");
    await expect(list.getByRole("button", { name: "Try again" })).toBeVisible();
  } else if (hasNoData && mode === "relay") {
    await expect(list).toContainText(`No ${name} of this session: telemetry failed`);
    await expect(list).not.toContainText("Generate");
  } else if (
    mode === "inbox" && name === "errors" && `${message}`.includes("waiting in this browser")
  ) {
    await expect(list).toContainText(/\d+\senvelopes? of this browser not delivered yet/);
  }
  if (mode === "relay") return;
  const search = list.getByRole("searchbox");
  await search.fill("nothing has this in it");
  await expect(page).toHaveURL(/q=nothing/);
  if (!hidesInbox) await expect(list).toContainText(new RegExp(`No (open )?${name} match`));
  await search.fill("");
  await expect(page).not.toHaveURL(/q=/);
}
