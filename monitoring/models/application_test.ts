import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf, type TestItem } from "../inbox/testdata/envelopes.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { parseEnvelope } from "./parsed_envelope.ts";
import { readApplication } from "./application.ts";

const read = (header: Record<string, unknown>, ...items: TestItem[]) =>
  readApplication(parseEnvelope(envelopeOf(header, ...items)));
/** Name, environment, side and release. */
const facts = (header: Record<string, unknown>, ...items: TestItem[]) => {
  const { name, environment, side, release } = read(header, ...items);
  return [name, environment, side, release];
};
const NODE = { name: "sentry.javascript.node", version: "10.0.0" };
const attributes = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, type: "string" }]),
  );

Deno.test("every kind of envelope of one application → the same application", () => {
  const release = "orders@2.1.0";
  const named = { environment: "test", release };
  const inAttributes = attributes({ "sentry.environment": "test", "sentry.release": release });
  const event = { ...named, platform: "node", server_name: "host" };
  const items: readonly TestItem[] = [
    ["event", event],
    ["transaction", { ...named, spans: [] }],
    ["log", { items: [{ body: "m", attributes: inAttributes }] }],
    ["span", { items: [{ name: "s", attributes: inAttributes }] }],
    ["session", { sid: "1", attrs: named }],
    ["check_in", { monitor_slug: "m", ...named }],
    ["profile_chunk", { version: "2", ...named }],
    // As @sentry/browser 10 sends an interaction.
    ["span", { op: "ui.interaction.click", data: named }],
    ["replay_event", { ...event, replay_id: "1" }],
  ];
  for (const item of items) {
    assert.deepEqual(facts({ sdk: NODE }, item), ["orders", "test", "server", release], item[0]);
  }
  assert.equal(new Set(items.map((item) => read({ sdk: NODE }, item).key)).size, 1);
});

Deno.test("page's release in the header of a server's envelope → the payload's release", () => {
  const trace = { trace_id: "a".repeat(32), release: "shop-web@2.0.0", environment: "page" };
  const header = { sdk: NODE, trace };
  const event = { platform: "node", release: "shop-api@1.4.2", environment: "test" };
  const named = ["shop-api", "test", "server", event.release];
  assert.deepEqual(facts(header, ["event", event]), named);
  const nameless = [NODE.name, "production", "server", null];
  assert.deepEqual(facts(header, ["event", { platform: "node" }]), nameless);
});

Deno.test("only items that name no application → no application of their own", () => {
  for (const type of ["check_in", "statsd", "profile_chunk", "session", "client_report"]) {
    assert.equal(read({ sdk: NODE }, [type, {}]).namedBy, "none", type);
  }
  assert.equal(read({ sdk: NODE }, ["check_in", {}], ["event", {}]).namedBy, "sdk");
  assert.equal(read({ sdk: NODE }, ["check_in", { release: "shop@1" }]).namedBy, "other release");
});

Deno.test("no environment in a log, the default in an event → the same application", () => {
  const event = read({ sdk: NODE }, ["event", { environment: "production" }]);
  assert.deepEqual(read({ sdk: NODE }, ["log", { items: [{ body: "m" }] }]), event);
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
  const otel = (resource: Record<string, string>): TestItem => [
    "transaction",
    { contexts: { otel: { resource } }, release: "@acme/shop@1.0+7" },
  ];
  const inSpan = attributes({ "service.name": "cart" });
  const named: readonly (readonly [name: string, item: TestItem])[] = [
    ["cart", ["span", { items: [{ attributes: inSpan }] }]],
    ["cart", otel({ "service.name": "cart" })],
    ["@acme/shop", otel({ "service.name": "unknown_service:node" })],
    ["@acme/shop", otel({ "service.name": "node", "service.namespace": "sentry" })],
    ["cart", ["event", { tags: { "service.name": "cart" } }]],
    ["cart", ["event", { tags: [["service.name", "cart"]] }]],
    ["Cart", ["event", { contexts: { app: { app_name: "Cart" } } }]],
    ["sentry.x", ["event", { release: "4f2a9c1" }]],
  ];
  for (const [name, item] of named) {
    assert.equal(read({ sdk: { name: "sentry.x" } }, item).name, name);
  }
  assert.equal(read({}, ["event", { sdk: { name: "sentry.y" } }]).name, "sentry.y");
  assert.equal(read({}, ["event", {}]).name, "unknown");
});

Deno.test("side → by the SDK, else by platform and attributes", () => {
  const log = (name: string): TestItem => [
    "log",
    { items: [{ attributes: attributes({ [name]: "x" }) }] },
  ];
  // An interaction's span of @sentry/browser 10.
  const interaction = { data: { "sentry.origin": "auto.http.browser.inp" } };
  const next = "sentry.javascript.nextjs";
  const sides: readonly (readonly [side: string, sdk: string | undefined, ...items: TestItem[]])[] =
    [
      ["browser", "sentry.javascript.react"],
      ["unknown", "sentry.javascript.react-native"],
      ["unknown", "sentry.cocoa", ["event", { platform: "cocoa" }]],
      ["server", "sentry.python.django"],
      ["browser", next, ["event", { platform: "javascript" }]],
      ["server", next, log("server.address")],
      ["browser", next, log("browser.name")],
      ["unknown", next],
      ["server", undefined, ["event", { platform: "python" }]],
      ["unknown", undefined, ["event", { platform: "other" }]],
      ["browser", undefined, ["span", interaction]],
    ];
  for (const [side, name, ...items] of sides) {
    assert.equal(read(name ? { sdk: { name } } : {}, ...items).side, side, `${name} ${items}`);
  }
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
    const { name } = readApplication({
      header: { sdk: header, trace: header } as Record<string, unknown>,
      items: [{ type: "event", bytes: 1, json: payload }],
      omitted: { items: 0, entries: 0 },
    });
    assert.ok(name.length > 0 && name.length <= 100);
  }));
});

Deno.test("start of a server's process → as its event, or its spans' attributes, have it; not of apps on devices", () => {
  const time = "2026-11-27T22:21:11.114Z";
  const contexts = { app: { app_start_time: time } };
  const startOf = (header: Record<string, unknown>, ...items: TestItem[]) =>
    read(header, ...items).processStart;
  const span = { items: [{ name: "s", attributes: attributes({ "app.start_time": time }) }] };
  assert.equal(startOf({ sdk: NODE }, ["event", { contexts }]), Date.parse(time));
  assert.equal(startOf({ sdk: NODE }, ["span", span]), Date.parse(time));
  assert.equal(startOf({ sdk: { name: "sentry.cocoa" } }, ["event", { contexts }]), null);
  for (const wrong of ["soon", "", null, {}, "9".repeat(30)]) {
    const app = { app_start_time: wrong };
    assert.equal(startOf({ sdk: NODE }, ["event", { contexts: { app } }]), null, `${wrong}`);
  }
});
