import assert from "node:assert/strict";
import { APPLICATIONS } from "../models/rows.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { openInbox } from "./sqlite_inbox.ts";
import {
  admitted,
  type Attributes,
  envelopeOf,
  error,
  span,
  type TestItem,
} from "./testdata/envelopes.ts";

const NODE = { name: "sentry.javascript.node" };
const named = (name: string, facts: Attributes = {}): TestItem =>
  span(1, { attributes: { "service.name": { value: name }, ...facts } });
const release = (version: string) => ({ "sentry.release": { value: version } });

/** An inbox, and the name of the application of each envelope in the order of arrival. */
function start() {
  const inbox = openInbox({ maxBytes: 1_000_000 });
  return {
    inbox,
    store: (dsnKey: string, header: Attributes, ...items: TestItem[]) =>
      inbox.store({ ...admitted(envelopeOf(header, ...items)), dsnKey }),
    names() {
      const applications = new Map(inbox.sources({}).rows.map(({ key, name }) => [key, name]));
      return inbox.envelopes({}).rows.toReversed().map(({ source }) =>
        applications.get(source!) ?? null
      );
    },
    [Symbol.dispose]: () => void inbox.close(),
  };
}

Deno.test("items without a service name → the application of the same key, SDK and release", async () => {
  using inbox = start();
  await inbox.store("web", { sdk: NODE }, named("shop-web", release("1")));
  await inbox.store("api", { sdk: NODE }, named("shop-api", release("1")));
  await inbox.store("api", { sdk: NODE }, ["check_in", {
    release: "1",
    environment: "production",
  }]);
  await inbox.store("api", { sdk: NODE }, ["profile_chunk", { release: "1" }]);
  await inbox.store("web", { sdk: NODE }, ["statsd", new TextEncoder().encode("a:1|c")]);
  await inbox.store("api", { sdk: NODE }, error("x", 1, { release: "1" }));
  await inbox.store("api", {}, ["client_report", {}]);
  assert.deepEqual(inbox.names(), [
    "shop-web",
    "shop-api",
    "shop-api",
    "shop-api",
    "shop-web",
    "shop-api",
    "shop-api",
  ]);
  assert.equal(inbox.inbox.sources({}).rows.length, 2);
});

Deno.test("another release, SDK or key, or several applications → of none", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, named("shop-api", release("1")));
  const checkIn: TestItem = ["check_in", { release: "2" }];
  await inbox.store("dev", { sdk: NODE }, checkIn);
  await inbox.store("dev", { sdk: { name: "sentry.python" } }, ["check_in", { release: "1" }]);
  await inbox.store("other", { sdk: NODE }, ["check_in", { release: "1" }]);
  assert.deepEqual(inbox.names(), ["shop-api", null, null, null]);
  await inbox.store("dev", { sdk: NODE }, named("shop-worker", release("1")));
  await inbox.store("dev", { sdk: NODE }, ["check_in", { release: "1" }]);
  assert.deepEqual(inbox.names().slice(4), ["shop-worker", null]);
});

Deno.test("name that arrives later → earlier envelopes are its application's, in every list", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, ["check_in", { release: "1" }]);
  await inbox.store("dev", { sdk: NODE }, error("x", 1, { release: "1" }));
  assert.deepEqual(inbox.names(), [NODE.name, NODE.name]);
  await inbox.store("dev", { sdk: NODE }, named("shop-api", release("1")));
  assert.deepEqual(inbox.names(), Array(3).fill("shop-api"));
  const { rows } = inbox.inbox.sources({});
  assert.deepEqual(rows.map(({ name, releases, envelopes }) => [name, releases, envelopes]), [
    ["shop-api", ["1"], 3],
  ]);
  const query = { source: rows[0]!.key, release: "1" };
  assert.equal(inbox.inbox.page("errors", query).rows[0]?.source, rows[0]!.key);
  assert.deepEqual(inbox.inbox.page("traces", query).rows[0]?.sources, [rows[0]!.key]);
});

Deno.test("service name and package of the release differ → one application, by its service", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, error("x", 1, { release: "shop@1" }));
  await inbox.store("dev", { sdk: NODE }, named("api", release("shop@1")));
  await inbox.store("dev", { sdk: NODE }, error("y", 1, { release: "shop@1" }));
  assert.deepEqual(inbox.names(), ["api", "api", "api"]);
});

Deno.test("all envelopes of a sender evicted → forgotten", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, named("api", release("1")));
  await inbox.inbox.clear();
  await inbox.store("dev", { sdk: NODE }, ["check_in", { release: "1" }]);
  assert.deepEqual(inbox.names(), [null]);
});

Deno.test("envelopes of no application, and no other → listed beside Sightglass's own", async () => {
  using inbox = start();
  await inbox.store("dev", OWN_TELEMETRY, error("own"));
  await inbox.store("dev", { sdk: NODE }, ["check_in", {}]);
  const types = () =>
    inbox.inbox.envelopes({ source: APPLICATIONS }).rows.map(({ items }) => items[0]?.type);
  assert.deepEqual(types(), ["check_in", "event"]);
  await inbox.store("other", { sdk: NODE }, ["session", { attrs: { release: "shop@1" } }]);
  assert.deepEqual(types(), ["session", "check_in"]);
});
