/** The shop's page, whose HTML sets `SHOP`: the DSN, and the address of the API. */
import * as Sentry from "@sentry/browser";

const { dsn, api } = globalThis.SHOP;
Sentry.init({
  dsn,
  release: "shop-web@2.0.0",
  environment: "production",
  integrations: [
    Sentry.browserTracingIntegration(),
    Sentry.browserProfilingIntegration(),
    Sentry.replayIntegration(),
  ],
  tracePropagationTargets: [api],
  tracesSampleRate: 1,
  profileSessionSampleRate: 1,
  profileLifecycle: "trace",
  replaysSessionSampleRate: 1,
  enableLogs: true,
});

const main = document.querySelector("main");
const status = document.querySelector("[role=status]");
const cart = new URLSearchParams(location.search).get("cart");

/** A request of another origin that needs a preflight. */
async function request(method, path) {
  const headers = { "Content-Type": "application/json" };
  const { ok } = await fetch(`${api}${path}`, { method, headers });
  return ok;
}

/** Long enough to be an interaction of INP, and to be seen in a profile, which would name a comparator. */
function sortSlowly() {
  const names = Array.from({ length: 500 }, (_, n) => `${(n * 7919) % 500} chairs`);
  const end = performance.now() + 120;
  while (performance.now() < end) names.toSorted();
}

/** Shows a page. Replaces the pressed button. */
async function show(name, path, load, actions) {
  sortSlowly();
  if (path !== location.pathname) history.pushState(null, "", path);
  Sentry.logger.info(`Page ${path}`);
  main.replaceChildren(
    ...Object.entries(actions).map(([text, onclick]) =>
      Object.assign(document.createElement("button"), { textContent: text, onclick })
    ),
  );
  await request("GET", load);
  status.textContent = `${name} loaded`;
}

const showCart = () => show("Cart", "/cart", "products", { Buy: buy, "To the orders": showOrders });
const showOrders = () => show("Orders", "/orders", "orders", { Complain: complain });
const complain = () => Sentry.captureFeedback({ message: "It is slow." });

async function buy() {
  Sentry.logger.info("Buying", { cart });
  const ok = await request("POST", `checkout?cart=${cart}`);
  status.textContent = ok ? "Bought" : "Not bought";
  if (!ok) throw new Error("The checkout failed");
}

show("Products", "/", "products", { "To the cart": showCart });
