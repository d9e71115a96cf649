import { at, pairsAt, textAt } from "../json.ts";
import { boundedAttributes } from "../attributes.ts";
import type { LogEntry } from "../log_entry.ts";

/** Contexts with ids, which the entry has, or with hundreds of entries. */
const LEFT_OUT: ReadonlySet<string> = new Set(["trace", "replay", "modules"]);
/** Contexts that the page shows as "Chrome 126.0". */
const PRODUCTS: ReadonlySet<string> = new Set(["browser", "os", "runtime", "device"]);

const LIMITS = { count: 64, name: 100, value: 500, all: 4_000 };

/** By what an error is searched beside its message: tags, facts, and values of contexts by names such as `user.id`. */
export function errorAttributes(event: unknown): LogEntry["attributes"] {
  const contexts = pairsAt(event, "contexts").filter(([name]) => !LEFT_OUT.has(name));
  const parts = ["user", "request", "extra"].map((name) => [name, at(event, name)] as const);
  const products = contexts.filter(([name]) => PRODUCTS.has(name)).map(([name, context]) => {
    const product = textAt(context, "name") ?? textAt(context, "model");
    return [name, [product, textAt(context, "version")].filter(Boolean).join(" ")] as const;
  });
  const sent = [
    ["transaction", at(event, "transaction")],
    ["server", at(event, "server_name")],
    ...pairsAt(event, "tags"),
    ...products,
    ...[...parts, ...contexts].flatMap(([part, context]) =>
      pairsAt(context).map(([name, value]) => [`${part}.${name}`, value] as const)
    ),
  ] as const;
  const given = sent.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return boundedAttributes(Object.fromEntries(given), LIMITS);
}
