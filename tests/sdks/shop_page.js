/** The page of `shop.cjs`. The build replaces `DSN`. */
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: DSN,
  release: "shop@1.4.0",
  environment: "development",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
  enableLogs: true,
});

const { search } = location;
const status = document.querySelector("[role=status]");
fetch(`/api/cart${search}`);
document.querySelector("button").addEventListener("click", async () => {
  const { ok } = await fetch(`/api/checkout${search}`, { method: "POST" });
  status.textContent = ok ? "Bought" : "Not bought";
  if (!ok) throw new Error("The checkout failed");
});
