/** The view of AI runs. */
import type { Page } from "@playwright/test";
import { error, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { postRuns } from "../harness/browser/ai_spans.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout, expectNoOverflow } from "../harness/browser/page_look.ts";
import { ATTACK, postEnvelope } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";

const view = (page: Page) => page.getByRole("region", { name: "AI runs", exact: true });
const QUESTION = "Is the Tide clock in stock?";

test("agent with a failing tool → figures, tree and messages, from the list and its trace", async ({ page, server }) => {
  const startedAt = Date.now() - 5_000;
  await postRuns(server.origin, ["Do you wrap gifts?", QUESTION], startedAt);
  // A call by the application that the tool asks: another run.
  const call = {
    ...{
      trace_id: hexId(2),
      span_id: "7".padStart(16, "0"),
      parent_span_id: "5".padStart(16, "0"),
    },
    ...{ name: "chat haiku", start_timestamp: (startedAt + 700) / 1_000 },
    end_timestamp: (startedAt + 900) / 1_000,
    attributes: {
      "sentry.op": { value: "gen_ai.chat" },
      "sentry.release": { value: "stock@1" },
      "gen_ai.usage.input_tokens": { value: 999 },
    },
  };
  await postEnvelope(server.origin, { sdk: { name: "sentry.python" } }, ["span", {
    items: [call],
  }], error("no stock", 2));
  await page.goto("/");
  await openView(page, "AI runs");
  const list = view(page).getByRole("table", { name: "AI runs, newest first" });
  const row = list.getByRole("row").filter({ hasText: QUESTION });
  await expect(row.getByRole("cell", { name: "1 failed of 1" })).toHaveCount(1);
  // The agent's own 1,150 repeat those of its calls.
  for (const text of ["1,150", "260", "$0.00081", "3.62 s"]) {
    await expect(row.getByRole("cell", { name: text })).toHaveCount(1);
  }
  await row.getByRole("link").click();

  const run = view(page).getByRole("article");
  await expect(run.getByRole("heading", { name: QUESTION })).toBeVisible();
  await expect(run).toContainText("1st token328 ms");
  await expect(run.getByRole("link", { name: "1 error in the trace" })).toBeVisible();
  const tree = run.getByRole("table", { name: "Calls and tools" });
  await expect(tree.locator("tbody tr")).toHaveCount(6);
  await expect(tree.getByRole("row", { name: "chat haiku" })).not.toContainText("999");
  const panel = run.getByRole("complementary");
  await expect(panel).toContainText("Untrusted text.");
  await expect(panel.locator('[data-role="user"]')).toContainText(QUESTION);
  await expect(panel).toContainText("I could not look it up.");
  await expect(panel).toContainText("128 of 730 in");

  await tree.getByRole("link", { name: "find_stock" }).click();
  await expect(panel).toContainText("cut by the sender");
  await expect(panel.locator("pre").last()).toContainText("<img src=x onerror=");
  await expect(panel.locator("img")).toHaveCount(0);
  expect(await page.evaluate(ATTACK.replace(/ = .*/, ""))).toBeUndefined();
  await expectAccessibleLayout(page, "run");

  await run.getByRole("link", { name: "Open trace" }).click();
  await page.getByRole("treegrid").getByRole("row", { name: /gpt-5-mini/ }).first().click();
  await page.getByRole("link", { name: "Open AI run with messages" }).click();
  await expect(panel).toContainText("You help customers of a shop.");
  await page.keyboard.press("Escape");
  await expect(run).toHaveCount(0);
});

test("300 runs → sums by agent, model and conversation lead to theirs; fits a phone", async ({ page, server }) => {
  await postRuns(server.origin, Array.from({ length: 300 }, (_, n) => `Question ${n}`));
  await page.goto("/#/ai?status=error");
  await view(page).getByRole("link", { name: "Sums", exact: true }).click();
  for (
    const [by, name, failed, tips] of [
      ["agent", "support assistant", "300 failed of 300", 1],
      ["model", "gpt-5-mini-2026-08", "300", 0],
    ] as const
  ) {
    const row = view(page).getByRole("table", { name: `By ${by}` }).getByRole("row", { name });
    await expect(row.getByRole("cell", { name: failed, exact: true })).toHaveCount(1);
    await expect(row.getByTitle(/failed/)).toHaveCount(tips);
    await expect(row.getByRole("cell", { name: "345,000" })).toHaveCount(1);
  }
  await expectAccessibleLayout(page, "sums");
  const conversation = view(page).getByRole("link", { name: "conversation-7" });
  await expect(conversation).toHaveAttribute(
    "href",
    "#/ai?status=error&conversation=conversation-7",
  );
  await conversation.click();
  const list = view(page).getByRole("table", { name: "AI runs, newest first" });
  await expect(list.getByRole("row", { name: /Question 299/ })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 800 });
  await list.getByRole("link", { name: "Question 299" }).click();
  await expect(view(page).getByRole("complementary")).toContainText("Question 299");
  await expectNoOverflow(page);
  await page.goto("/#/ai?name=none");
  await expect(view(page)).toContainText("No AI runs match the filter.");
});
