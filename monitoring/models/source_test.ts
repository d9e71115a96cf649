import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf, type TestItem } from "../inbox/testdata/envelopes.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { parseEnvelope } from "./parsed_envelope.ts";
import { readSource } from "./source.ts";

const read = (header: Record<string, unknown>, ...items: TestItem[]) =>
  readSource(parseEnvelope(envelopeOf(header, ...items)));
/** Name, environment, side and release. */
const facts = (header: Record<string, unknown>, ...items: TestItem[]) => {
  const { name, environment, side, release } = read(header, ...items);
  return [name, environment, side, release];
};
const attributes = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, type: "string" }]),
  );

Deno.test("every kind of envelope of one application → the same source", () => {
  const sdk = { name: "sentry.javascript.node", version: "10.0.0" };
  const release = "orders@2.1.0";
  const inAttributes = attributes({ "sentry.environment": "test", "sentry.release": release });
  const event = { environment: "test", release, platform: "node", server_name: "host" };
  const envelopes: [Record<string, unknown>, ...TestItem[]][] = [
    [{ sdk }, ["event", event]],
    [{ sdk }, ["transaction", { environment: "test", release, spans: [] }]],
    [{ sdk }, ["log", { items: [{ body: "m", attributes: inAttributes }] }]],
    [{ sdk }, ["span", { items: [{ name: "s", attributes: inAttributes }] }]],
    [{ sdk }, ["session", { sid: "1", attrs: { environment: "test", release } }]],
    [{ sdk }, ["check_in", { monitor_slug: "m", environment: "test", release }]],
    [{ sdk }, ["profile_chunk", { version: "2", environment: "test", release }]],
    // As @sentry/browser 10 sends an interaction.
    [{ sdk }, ["span", { op: "ui.interaction.click", data: { environment: "test", release } }]],
    [{ sdk }, ["replay_event", { ...event, replay_id: "1" }]],
  ];
  for (const envelope of envelopes) {
    const [, [type]] = envelope as [unknown, TestItem];
    assert.deepEqual(facts(...envelope), ["orders", "test", "server", release], type);
  }
  assert.equal(new Set(envelopes.map((envelope) => read(...envelope).key)).size, 1);
});

Deno.test("page's release in the header of a server's envelope → the payload's release", () => {
  const header = {
    sdk: { name: "sentry.javascript.node" },
    trace: { trace_id: "a".repeat(32), release: "shop-web@2.0.0", environment: "page" },
  };
  const event = { platform: "node", release: "shop-api@1.4.2", environment: "test" };
  const expected = ["shop-api", "test", "server", "shop-api@1.4.2"];
  assert.deepEqual(facts(header, ["event", event]), expected);
  const { release: _, environment: __, ...nameless } = event;
  assert.deepEqual(facts(header, ["event", nameless]), [
    "sentry.javascript.node",
    "production",
    "server",
    null,
  ]);
});

Deno.test("only items that name no application → no application of their own", () => {
  const sdk = { name: "sentry.javascript.node" };
  for (const type of ["check_in", "statsd", "profile_chunk", "session", "client_report"]) {
    assert.equal(read({ sdk }, [type, {}]).namedBy, "none", type);
  }
  assert.equal(read({ sdk }, ["check_in", {}], ["event", {}]).namedBy, "sdk");
  assert.equal(read({ sdk }, ["check_in", { release: "shop@1" }]).namedBy, "other release");
});

Deno.test("no environment in a log, the default in an event → the same source", () => {
  const sdk = { name: "sentry.javascript.node" };
  const event = read({ sdk }, ["event", { environment: "production" }]);
  assert.deepEqual(read({ sdk }, ["log", { items: [{ body: "m" }] }]), event);
});

Deno.test("new release → same key; other environment, side or name → another key", () => {
  const of = (name: string, event: Record<string, unknown>) =>
    read({ sdk: { name } }, ["event", event]).key;
  const key = of("sentry.python", { environment: "a", release: "1" });
  assert.match(key, /^[\da-f]{14}$/);
  assert.equal(of("sentry.python", { environment: "a", release: "2" }), key);
  const others = [
    of("sentry.python", { environment: "b" }),
    of("sentry.ruby", { environment: "a" }),
    of("sentry.python", { environment: "a", release: "shop@1" }),
    of("sentry.javascript.nextjs", { environment: "a", platform: "node" }),
    of("sentry.javascript.nextjs", { environment: "a", platform: "javascript" }),
  ];
  assert.equal(new Set([key, ...others]).size, 6);
});

Deno.test("name → service, application, package of the release, SDK; defaults ignored", () => {
  const name = (...items: TestItem[]) => read({ sdk: { name: "sentry.x" } }, ...items).name;
  const otel = (values: Record<string, string>): TestItem => [
    "transaction",
    { contexts: { otel: { resource: values } }, release: "@acme/shop@1.0+7" },
  ];
  assert.equal(
    name(["span", { items: [{ attributes: attributes({ "service.name": "cart" }) }] }]),
    "cart",
  );
  assert.equal(name(otel({ "service.name": "cart" })), "cart");
  assert.equal(name(otel({ "service.name": "unknown_service:node" })), "@acme/shop");
  assert.equal(
    name(otel({ "service.name": "node", "service.namespace": "sentry" })),
    "@acme/shop",
  );
  assert.equal(name(["event", { tags: { "service.name": "cart" } }]), "cart");
  assert.equal(name(["event", { tags: [["service.name", "cart"]] }]), "cart");
  assert.equal(name(["event", { contexts: { app: { app_name: "Cart" } } }]), "Cart");
  assert.equal(name(["event", { release: "4f2a9c1" }]), "sentry.x");
  assert.equal(read({}, ["event", { sdk: { name: "sentry.y" } }]).name, "sentry.y");
  assert.equal(read({}, ["event", {}]).name, "unknown");
});

Deno.test("side → by the SDK, else by platform and attributes", () => {
  const side = (sdk: string | undefined, ...items: TestItem[]) =>
    read(sdk === undefined ? {} : { sdk: { name: sdk } }, ...items).side;
  assert.equal(side("sentry.javascript.react"), "browser");
  assert.equal(side("sentry.javascript.react-native"), "unknown");
  assert.equal(side("sentry.cocoa", ["event", { platform: "cocoa" }]), "unknown");
  assert.equal(side("sentry.python.django"), "server");
  const next = "sentry.javascript.nextjs";
  assert.equal(side(next, ["event", { platform: "javascript" }]), "browser");
  const log = (name: string): TestItem => ["log", {
    items: [{ attributes: attributes({ [name]: "x" }) }],
  }];
  assert.equal(side(next, log("server.address")), "server");
  assert.equal(side(next, log("browser.name")), "browser");
  assert.equal(side(next), "unknown");
  assert.equal(side(undefined, ["event", { platform: "python" }]), "server");
  assert.equal(side(undefined, ["event", { platform: "other" }]), "unknown");
  // An interaction's span of @sentry/browser 10.
  assert.equal(
    side(undefined, ["span", { data: { "sentry.origin": "auto.http.browser.inp" } }]),
    "browser",
  );
});

Deno.test("marked header → Sightglass; its DSN and SDK without the mark → an application", () => {
  const header = {
    dsn: "https://inbox@sightglass.invalid/1",
    sdk: { name: "sentry.javascript.react" },
  };
  const item: TestItem = ["event", { release: "abc", environment: "test" }];
  assert.deepEqual(facts({ ...header, ...OWN_TELEMETRY }, item), [
    "Sightglass",
    null,
    "unknown",
    "abc",
  ]);
  assert.equal(read({ ...header, ...OWN_TELEMETRY }, ["client_report", {}]).key, "sightglass");
  assert.equal(read(header, item).name, "sentry.javascript.react");
});

Deno.test("any JSON → bounded texts in one line", () => {
  const hostile = `a\n\u202e${"x".repeat(10_000)}`;
  const { name, environment, release } = read(
    { sdk: { name: hostile } },
    ["event", { environment: hostile, release: hostile }],
  );
  for (const text of [name, environment!, release!]) {
    assert.ok(text.length <= 200 && !/[\n\u202e]/.test(text), text.slice(0, 20));
  }
  assert.equal(read({ sdk: { name: "\u200b" } }, ["event", {}]).name, "unknown");
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (header, payload) => {
    const { name } = readSource({
      header: { sdk: header, trace: header } as Record<string, unknown>,
      items: [{ type: "event", bytes: 1, json: payload }],
      omitted: { items: 0, entries: 0 },
    });
    assert.ok(name.length > 0 && name.length <= 100);
  }));
});
