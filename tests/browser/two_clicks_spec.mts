/** Questions of a developer: each is answered in at most two clicks from the overview. */
import type { Locator } from "@playwright/test";
import { hexId, span } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { postEnvelope } from "../harness/browser/posted.ts";
import { buy, startShop } from "../harness/browser/shop.ts";
import { openView } from "../harness/browser/views.ts";

const MAX_CLICKS = 2;
const HOUR_S = 3_600;

/** What earlier versions of the shop sent, hours or a release ago, and a request that is refused. */
async function postOthers(origin: string): Promise<void> {
  const header = { sender: { release: "shop@1.3.0", environment: "development" } };
  await postEnvelope(origin, header, ["event", {
    timestamp: Date.now() / 1000,
    exception: { values: [{ type: "CurrencyError", value: "Currency unknown" }] },
  }]);
  const start = Date.now() / 1000 - 2 * HOUR_S;
  await postEnvelope(
    origin,
    header,
    span(0xb3, {
      span_id: hexId(1).slice(-16),
      is_segment: true,
      name: "/old",
      start_timestamp: start,
      end_timestamp: start + 9,
      status: "ok",
      attributes: { "sentry.op": { value: "pageload", type: "string" } },
    }),
  );
  const refused = await fetch(`${origin}/monitoring`, {
    method: "POST",
    headers: { Origin: "https://shop.example" },
    body: "{}\n",
  });
  await refused.body?.cancel();
  expect(refused.status).toBe(403);
}

test("each question → answered in at most two clicks from the overview", async ({ page, context, server, watch }) => {
  watch.allow("The checkout failed", "status of 500");
  await postOthers(server.origin);
  // A running application, by Sentry's SDKs. The bank declines cart 6.
  await using shop = await startShop(server.port);
  await buy(await context.newPage(), shop.address, [6, 1]);
  await page.goto("/");
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const errors = region("Newest errors");
  const traces = region("Slowest traces of the last hour");

  let clicks = 0;
  const click = async (target: Locator) => {
    clicks++;
    await target.click();
  };
  const ask = (question: string, answer: () => Promise<void>) =>
    test.step(question, async () => {
      await openView(page, "Overview");
      clicks = 0;
      await answer();
      expect(clicks, question).toBeLessThanOrEqual(MAX_CLICKS);
    });
  const openError = () => click(errors.getByRole("link", { name: "PaymentError Payment of 30" }));
  const checkout = traces.getByRole("listitem").filter({ hasText: "/cart" }).first();

  await ask("Why was this request slow?", async () => {
    await expect(checkout).toContainText(/\d\sm?s/);
    await click(checkout.getByRole("link"));
    const row = page.getByRole("treegrid").getByRole("row", { name: /SELECT id, price/ });
    await expect(row.first()).toContainText(/\d\sms/);
  });
  await ask("Which line threw?", async () => {
    await openError();
    await expect(page.getByRole("article")).toContainText("throw new PaymentError(");
    await expect(page.getByRole("article")).toContainText("shop.cjs:50");
  });
  await ask("What did the user do before?", async () => {
    await openError();
    await expect(page.getByRole("article").getByText("Checkout of cart 6")).toBeVisible();
  });
  await ask("What was logged around it?", async () => {
    await openError();
    await click(page.getByRole("article").getByRole("link", { name: "Logs of the trace" }));
    await expect(region("Logs").getByText("The bank refused the card")).toBeVisible();
  });
  await ask("Which were the slowest page loads of the last hour?", async () => {
    await click(traces.getByRole("link", { name: "Page loads" }));
    const names = region("Traces").locator("a.row-link");
    await expect(names).toHaveText([/^Page load/, /^Page load/]);
    await expect(names.filter({ hasText: "/old" })).toHaveCount(0);
  });
  await ask("Which errors had one release in the last ten minutes?", async () => {
    await click(errors.getByRole("link", { name: "shop-web@2.0.0" }));
    const types = region("Errors").locator("a.row-link");
    await expect(types.filter({ hasText: /^Error$/ })).toHaveCount(1);
    await expect(types.filter({ hasText: "CurrencyError" })).toHaveCount(0);
  });
  await ask("Which envelopes were refused, and why?", async () => {
    await click(page.getByRole("button", { name: "1 refused" }));
    const refusal = region("Connect your application").getByRole("listitem")
      .filter({ hasText: "https://shop.example" });
    await expect(refusal).toContainText("ALLOWED_ORIGINS");
  });
});
