/** Requests of a shop's API in two releases: the newer one asks the database for each product of a list. */
import { hexId } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { postEnvelope } from "./posted.ts";

export const CHECKOUT = "POST /api/checkout";
export const PRODUCT = "SELECT * FROM products WHERE id = $1";
export const STOCK = "SELECT * FROM stock WHERE product_id = $1";
export const ALL_PRODUCTS = "SELECT * FROM products WHERE id = ANY($1)";
/** Products of a checkout. */
export const PRODUCTS = 10;
/** Checkouts of each release, and those of the newer one that failed. */
export const CHECKOUTS = { "1.4.1": 12, "1.4.2": 18 };
export const FAILED = 4;

/**
 * Posts the checkouts of both releases, and requests of the products.
 *
 * @param endedAt milliseconds since 1970, about when the last one ended
 */
export async function postRequests(origin: string, endedAt = Date.now() - 60_000): Promise<void> {
  let trace = 0;
  const count = CHECKOUTS["1.4.1"] + CHECKOUTS["1.4.2"];
  const request = async (
    release: string,
    name: string,
    ms: number,
    queries: readonly string[],
    isFailed = false,
  ) => {
    const start = endedAt - (2 * count - ++trace) * 60_000;
    const ids = { trace_id: hexId(trace) };
    const root = {
      ...{ ...ids, span_id: "1".padStart(16, "0"), name, is_segment: true },
      ...{ status: isFailed ? "error" : "ok", start_timestamp: start / 1_000 },
      end_timestamp: (start + ms) / 1_000,
      attributes: { "sentry.op": { value: "http.server" } },
    };
    const handler = { ...root, span_id: "2".padStart(16, "0"), parent_span_id: root.span_id };
    const spans = queries.map((statement, n) => ({
      ...{ ...ids, span_id: `${n + 3}`.padStart(16, "0"), parent_span_id: handler.span_id },
      ...{ name: statement, status: "ok" },
      start_timestamp: (start + 5 + n * 8) / 1_000,
      end_timestamp: (start + 9 + n * 8) / 1_000,
      attributes: { "sentry.op": { value: "db" }, "db.system": { value: "postgresql" } },
    }));
    const attributes = { "sentry.op": { value: "function" } };
    const items = [
      root,
      { ...handler, ...{ name: "checkout", status: "ok", is_segment: false, attributes } },
      ...spans,
    ];
    const sender = { release: `shop-api@${release}`, environment: "production" };
    const error = {
      ...{ event_id: hexId(1_000 + trace), timestamp: (start + ms / 2) / 1_000 },
      contexts: { trace: { ...ids, span_id: root.span_id } },
      exception: { values: [{ type: "TypeError", value: "Cannot read 'percent' of null" }] },
    };
    const sdk = { name: "sentry.javascript.node", version: "10.75.2" };
    await postEnvelope(origin, { sdk, sender }, ["span", { items }]);
    if (isFailed) await postEnvelope(origin, { sdk, sender }, ["event", error]);
  };
  const cart = "SELECT * FROM carts WHERE user_id = $1";
  const each = Array.from({ length: PRODUCTS }, () => [PRODUCT, STOCK]).flat();
  for (const [n] of Array(CHECKOUTS["1.4.1"]).entries()) {
    await request("1.4.1", CHECKOUT, 190 + n * 5, [cart, ALL_PRODUCTS]);
    await request("1.4.1", "GET /api/products", 17 + n, ["SELECT * FROM products"]);
  }
  await request("1.4.1", "GET /api/report", 320, []);
  for (const [n] of Array(CHECKOUTS["1.4.2"]).entries()) {
    const isFailed = n % 4 === 3 && n / 4 < FAILED;
    await request("1.4.2", CHECKOUT, isFailed ? 340 + n : 440 + n * 9, [cart, ...each], isFailed);
    await request("1.4.2", "GET /api/products", 18 + n, ["SELECT * FROM products"]);
  }
}
