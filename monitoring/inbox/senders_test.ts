import assert from "node:assert/strict";
import { join } from "node:path";
import { APPLICATIONS } from "../models/list_query.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { Inbox } from "./inbox.ts";
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
  const inbox = new Inbox({ maxBytes: 1_000_000 });
  return {
    inbox,
    store: (dsnKey: string, header: Attributes, ...items: TestItem[]) =>
      inbox.store({ ...admitted(envelopeOf(header, ...items)), dsnKey }),
    names() {
      const applications = new Map(inbox.applications({}).rows.map(({ key, name }) => [key, name]));
      return inbox.page("envelopes", {}).rows.toReversed().map(({ application }) =>
        applications.get(application!) ?? null
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
  assert.equal(inbox.inbox.applications({}).rows.length, 2);
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

Deno.test("client report with a key alone, beside OpenTelemetry without a key → of the key's application", async () => {
  using inbox = start();
  const sdk = { name: "opentelemetry" };
  await inbox.inbox.store(admitted(envelopeOf({ sdk }, named("seats"))));
  await inbox.store("web", { sdk: NODE }, named("shop-web"));
  await inbox.store("web", {}, ["client_report", {}]);
  assert.deepEqual(inbox.names(), ["seats", "shop-web", "shop-web"]);
});

Deno.test("name that arrives later → earlier envelopes are its application's, in every list", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, ["check_in", { release: "1" }]);
  await inbox.store("dev", { sdk: NODE }, error("x", 1, { release: "1" }));
  assert.deepEqual(inbox.names(), [NODE.name, NODE.name]);
  await inbox.store("dev", { sdk: NODE }, named("shop-api", release("1")));
  assert.deepEqual(inbox.names(), Array(3).fill("shop-api"));
  const { rows } = inbox.inbox.applications({});
  assert.deepEqual(rows.map(({ name, releases, envelopes }) => [name, releases, envelopes]), [
    ["shop-api", ["1"], 3],
  ]);
  const query = { application: rows[0]!.key, release: "1" };
  assert.equal(inbox.inbox.page("errors", query).rows[0]?.application, rows[0]!.key);
  assert.deepEqual(inbox.inbox.page("traces", query).rows[0]?.applications, [rows[0]!.key]);
});

Deno.test("service name that equals the release's package → stored, and the same application", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, error("x", 1, { release: "shop@1.2.0" }));
  let isStored = false;
  const stored = inbox.store("dev", { sdk: NODE }, named("shop", release("shop@1.2.0")))
    .then(() => isStored = true);
  for (let turns = 0; turns < 100 && !isStored; turns++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.deepEqual(inbox.names(), ["shop", "shop"]);
  inbox.inbox.close();
  assert.ok(isStored, "it is moved forever");
  await stored;
});

Deno.test("name that arrives after 600 envelopes → moved in steps, also after a stop", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const open = () => new Inbox({ maxBytes: 1_000_000, path: join(folder, "inbox.sqlite") });
  const store = (inbox: Inbox, item: TestItem) =>
    inbox.store({ ...admitted(envelopeOf({ sdk: NODE }, item)), dsnKey: "dev" });
  const counts = (inbox: Inbox) =>
    inbox.applications({}).rows.map(({ name, envelopes }) => [name, envelopes]);
  try {
    let inbox = open();
    for (let n = 0; n < 600; n++) await store(inbox, error("x"));
    const stored = store(inbox, named("api"));
    while (counts(inbox).length === 1) await new Promise((resolve) => setTimeout(resolve));
    // Other requests are answered meanwhile.
    assert.deepEqual(counts(inbox), [["api", 501], [NODE.name, 100]]);
    inbox.close();
    await stored;
    inbox = open();
    await store(inbox, named("api"));
    assert.deepEqual(counts(inbox), [["api", 602]]);
    inbox.close();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
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

Deno.test("envelopes of no application, and no other → listed; Sightglass's own not", async () => {
  using inbox = start();
  await inbox.store("dev", OWN_TELEMETRY, error("own"));
  await inbox.store("dev", { sdk: NODE }, ["check_in", {}]);
  const types = () =>
    inbox.inbox.page("envelopes", { application: APPLICATIONS }).rows.map(({ items }) =>
      items[0]?.type
    );
  assert.deepEqual(types(), ["check_in"]);
  await inbox.store("other", { sdk: NODE }, ["session", { attrs: { release: "shop@1" } }]);
  assert.deepEqual(types(), ["session", "check_in"]);
});

Deno.test("browser and server with one SDK and release → each keeps its own; a session is of none", async () => {
  using inbox = start();
  const sdk = { name: "sentry.javascript.nextjs" };
  const event = (platform: string, rest: Attributes = {}) =>
    error("x", 1, { platform, release: "shop@1", environment: "production", ...rest });
  await inbox.store("dev", { sdk }, event("javascript"));
  await inbox.store("dev", { sdk }, event("node", { tags: { "service.name": "backend" } }));
  await inbox.store("dev", { sdk }, event("javascript"));
  const session = { attrs: { release: "shop@1", environment: "production" } };
  await inbox.store("dev", { sdk }, ["session", session]);
  assert.deepEqual(inbox.names(), ["shop", "backend", "shop", null]);
});

Deno.test("sender with several services → what names none of them is of none", async () => {
  using inbox = start();
  await inbox.store("dev", { sdk: NODE }, named("a"));
  await inbox.store("dev", { sdk: NODE }, named("b"));
  await inbox.store("dev", { sdk: NODE }, error("x", 1, { release: "c@1" }));
  await inbox.store("dev", { sdk: NODE }, ["check_in", {}]);
  await inbox.store("dev", {}, ["client_report", {}]);
  assert.deepEqual(inbox.names(), ["a", "b", "c", null, null]);
});

Deno.test("application evicted, then its sender and another one send → named by what they send", async () => {
  const own = (text: string) => error(text, 1);
  const inbox = new Inbox({ maxBytes: 4_000 });
  const store = (dsnKey: string, ...items: TestItem[]) =>
    inbox.store({ ...admitted(envelopeOf({ sdk: NODE }, ...items)), dsnKey });
  await store("a", own("first"));
  await store("a", ["check_in", {}]);
  for (let n = 0; n < 20; n++) await store("b", error("y".repeat(500), 1, { release: "b@1" }));
  await store("a", own("again"));
  await store("c", error("z", 1, { release: "c@1", environment: "staging" }));
  const names = inbox.applications({}).rows.map(({ name, envelopes }) => [name, envelopes]);
  assert.deepEqual(names.filter(([name]) => name !== "b"), [["c", 1], [NODE.name, 1]]);
  const rows = inbox.page("occurrences", { q: "again" }).rows;
  assert.equal(
    rows[0]?.application,
    inbox.applications({}).rows.find(({ name }) => name === NODE.name)?.key,
  );
  inbox.close();
});

Deno.test("newest envelope of an application expires first → still listed, with its time", async () => {
  const DAY_MS = 86_400_000;
  let now = 1_795_262_400_000;
  const inbox = new Inbox({ maxBytes: 100_000, maxAgeDays: 30, now: () => now });
  const store = (message: string, receivedAt: number) =>
    inbox.storeImported(admitted(envelopeOf({ sdk: NODE }, error(message)), receivedAt));
  await store("live", now);
  assert.equal(await store("imported", now - 29 * DAY_MS), "taken");
  assert.equal(inbox.applications({}).rows[0]?.last_seen, now);
  now += 2 * DAY_MS;
  await inbox.store(admitted(envelopeOf({ sdk: { name: "sentry.python" } }, error("other")), now));
  assert.deepEqual(
    inbox.applications({}).rows.map(({ name, envelopes }) => [name, envelopes]),
    [["sentry.python", 1], [NODE.name, 1]],
  );
  inbox.close();
});
