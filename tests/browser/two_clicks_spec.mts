/** The questions that a developer asks: each is answered in at most two clicks from the overview. */
import type { Locator } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { postEnvelope } from "./posted_envelopes.ts";
import { openView } from "./views.ts";

const MAX_CLICKS = 2;
const HOUR_S = 3_600;
const id = (n: number, digits: number) => n.toString(16).padStart(digits, "0");

/** A span as SDKs send it, `ageS` seconds old. */
const span = (trace: number, n: number, name: string, op: string, ms: number, ageS: number) => {
  const start = Date.now() / 1000 - ageS;
  return {
    trace_id: id(trace, 32),
    span_id: id(n, 16),
    ...(n > 1 && { parent_span_id: id(1, 16) }),
    is_segment: n === 1,
    name,
    start_timestamp: start,
    end_timestamp: start + ms / 1000,
    status: "ok",
    attributes: { "sentry.op": { value: op, type: "string" } },
  };
};

/** An error with its source lines and breadcrumbs, as `@sentry/node` sends it. */
const paymentError = (trace: number, value: string) => ({
  timestamp: Date.now() / 1000,
  platform: "node",
  level: "error",
  contexts: { trace: { trace_id: id(trace, 32), span_id: id(1, 16) } },
  breadcrumbs: [{ timestamp: Date.now() / 1000 - 2, category: "cart", message: "Added 3 apples" }],
  exception: {
    values: [{
      type: "PaymentError",
      value,
      mechanism: { type: "generic", handled: true },
      stacktrace: {
        frames: [{
          filename: "/app/payment.js",
          function: "charge",
          lineno: 14,
          in_app: true,
          pre_context: ["  const answer = await bank.charge(card);"],
          context_line: "  if (!answer.ok) throw new PaymentError(answer.reason);",
          post_context: ["}"],
        }],
      },
    }],
  },
});

/** What a shop sent: two releases of its server, and its page. */
async function postShop(origin: string): Promise<void> {
  const server = (release: string) => ({
    sdk: { name: "sentry.javascript.node", version: "10.0.0" },
    trace: { release, environment: "development" },
  });
  const spans = (...items: unknown[]) => ["span", { version: 2, items }] as const;
  await postEnvelope(
    origin,
    server("shop@1.4.0"),
    spans(
      span(0xa1, 1, "POST /checkout", "http.server", 1_800, 60),
      span(0xa1, 2, "SELECT stock FROM items", "db", 1_700, 60),
    ),
  );
  await postEnvelope(origin, server("shop@1.4.0"), ["event", paymentError(0xa1, "Card declined")]);
  await postEnvelope(origin, server("shop@1.4.0"), ["log", {
    items: [{
      timestamp: Date.now() / 1000 - 1,
      level: "warn",
      body: "The bank answered 402",
      trace_id: id(0xa1, 32),
    }],
  }]);
  await postEnvelope(origin, server("shop@1.3.0"), ["event", {
    ...paymentError(0xa2, "Currency unknown"),
    exception: { values: [{ type: "CurrencyError", value: "Currency unknown" }] },
  }]);
  await postEnvelope(
    origin,
    {
      sdk: { name: "sentry.javascript.browser", version: "10.0.0" },
      trace: { release: "shop-page@1.4.0", environment: "development" },
    },
    spans(span(0xb1, 1, "/cart", "pageload", 900, 120)),
    spans(span(0xb2, 1, "/orders", "pageload", 1_500, 120)),
    spans(span(0xb3, 1, "/old", "pageload", 9_000, 2 * HOUR_S)),
  );
  const refused = await fetch(`${origin}/monitoring`, {
    method: "POST",
    headers: { Origin: "https://shop.example" },
    body: "{}\n",
  });
  await refused.body?.cancel();
  expect(refused.status).toBe(403);
}

test("each question → answered in at most two clicks from the overview", async ({ page, server }) => {
  await postShop(server.origin);
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
  const openError = () => click(errors.getByRole("link", { name: "PaymentError Card declined" }));

  await ask("Why was this request slow?", async () => {
    await expect(traces.getByRole("listitem").first()).toContainText(/POST \/checkout.*1\.80\ss/);
    await click(traces.getByRole("link", { name: "POST /checkout" }));
    const row = page.getByRole("treegrid").getByRole("row", { name: /SELECT stock/ });
    await expect(row).toContainText("1.70");
  });
  await ask("Which line threw?", async () => {
    await openError();
    await expect(page.getByRole("article")).toContainText("throw new PaymentError(answer.reason)");
    await expect(page.getByRole("article")).toContainText("payment.js:14");
  });
  await ask("What did the user do before?", async () => {
    await openError();
    await expect(page.getByRole("article").getByText("Added 3 apples")).toBeVisible();
  });
  await ask("What was logged around it?", async () => {
    await openError();
    await click(page.getByRole("article").getByRole("link", { name: "Logs of the trace" }));
    await expect(region("Logs").getByText("The bank answered 402")).toBeVisible();
  });
  await ask("Which were the slowest page loads of the last hour?", async () => {
    await click(traces.getByRole("link", { name: "Page loads" }));
    const names = region("Traces").locator("a.row-link");
    await expect(names).toHaveText(["Page load /orders", "Page load /cart"]);
  });
  await ask("Which errors had one release in the last ten minutes?", async () => {
    await click(errors.getByRole("link", { name: "shop@1.4.0" }));
    await expect(region("Errors").locator("a.row-link")).toHaveText(["PaymentError"]);
  });
  await ask("Which envelopes were refused, and why?", async () => {
    await click(page.getByRole("button", { name: "1 refused" }));
    const refusal = region("Connect your application").getByRole("listitem")
      .filter({ hasText: "https://shop.example" });
    await expect(refusal).toContainText("ALLOWED_ORIGINS");
  });
});
