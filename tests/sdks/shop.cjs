/**
 * A small shop whose server and page report by Sentry's SDKs. Arguments: the folder of `@sentry/node`, and the page's
 * script. Prints its address.
 */
const Sentry = require(process.argv[2]);

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "shop@1.4.0",
  environment: "development",
  tracesSampleRate: 1,
  enableLogs: true,
  serverName: "shop-1",
  integrations: [Sentry.rewriteFramesIntegration({ root: __dirname, prefix: "app:///" })],
});

const { createServer } = require("node:http");
const { readFileSync } = require("node:fs");
const { setTimeout: wait } = require("node:timers/promises");

class PaymentError extends Error {
  name = "PaymentError";
}

/** Prices by cart. There is no cart 7. */
const CARTS = new Map([1, 2, 3, 4, 5, 6].map((id) => [id, [12, 3 * id]]));

const query = (name, ms) => Sentry.startSpan({ name, op: "db" }, () => wait(ms));

async function readCart(id) {
  await query("SELECT id, price FROM items WHERE cart = ?", 40 + 25 * (id % 4));
  const prices = CARTS.get(id);
  Sentry.logger.info("Cart read", { cart: id, items: prices.length });
  return prices;
}

async function charge(amount) {
  await Sentry.startSpan(
    { name: "POST https://bank.example/charge", op: "http.client" },
    () => wait(120 + 20 * (amount % 9)),
  );
  if (amount > 26) {
    Sentry.logger.warn("The bank refused the card", { amount });
    throw new PaymentError(`Card declined for ${amount} EUR`);
  }
}

async function checkout(id) {
  Sentry.addBreadcrumb({ category: "cart", message: `Checkout of cart ${id}` });
  const prices = await readCart(id);
  await charge(prices.reduce((sum, price) => sum + price, 0));
  await query("INSERT INTO orders VALUES (?, ?)", 30);
}

const server = createServer(async ({ url, method }, response) => {
  const { pathname, searchParams } = new URL(url, "http://shop");
  const cart = Number(searchParams.get("cart"));
  try {
    if (pathname === "/shop.js") response.end(readFileSync(process.argv[3]));
    else if (pathname === "/api/cart") response.end(JSON.stringify(await readCart(cart)));
    else if (pathname === "/api/checkout" && method === "POST") response.end(await checkout(cart));
    else {
      response.setHeader("Content-Type", "text/html");
      response.end(
        '<!doctype html><link rel="icon" href="data:,"><title>Shop</title><button>Buy</button>' +
          '<p role="status"></p><script src="/shop.js"></script>',
      );
    }
  } catch (error) {
    Sentry.captureException(error);
    response.statusCode = 500;
    response.end("failed");
  }
});
server.listen(
  0,
  "127.0.0.1",
  () => process.stdout.write(`Shop: http://127.0.0.1:${server.address().port}/\n`),
);
