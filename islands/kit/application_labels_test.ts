import assert from "node:assert/strict";
import {
  type Application,
  applicationLabels,
  fullLabel,
  joinLabels,
  OWN_APPLICATION,
} from "../../monitoring/models/application_rows.ts";
import { shortRelease } from "./application_labels.ts";

const application = (key: string, name: string, rest: Partial<Application> = {}): Application => ({
  key,
  name,
  environment: "test",
  side: "server",
  ...rest,
});
const labels = (...applications: readonly Application[]) =>
  [...applicationLabels(applications).values()].map((label) => joinLabels([label]));

const shop = (key: string, rest: Partial<Application> = {}) => application(key, "shop", rest);

Deno.test("different names → names, SDKs without their common prefix", () => {
  const sdks = [
    application("1", "sentry.javascript.node"),
    application("2", "sentry.python.django"),
  ];
  assert.deepEqual(labels(shop("9"), ...sdks, OWN_APPLICATION), [
    "shop",
    "node",
    "python.django",
    "Sightglass",
  ]);
});

Deno.test("same name → with the side; same side too → with the environment or both", () => {
  assert.deepEqual(
    labels(
      shop("1", { side: "browser" }),
      shop("2"),
      shop("3", { environment: "staging" }),
      shop("4", { side: "unknown", environment: null }),
    ),
    ["shop (browser)", "shop (server, test)", "shop (staging)", "shop"],
  );
  const environments = labels(shop("1"), shop("2", { environment: "staging" }));
  assert.deepEqual(environments, ["shop (test)", "shop (staging)"]);
});

Deno.test("application named Sightglass → not taken for Sightglass itself", () => {
  assert.deepEqual(labels(OWN_APPLICATION, application("1", "Sightglass")), [
    "Sightglass",
    "Sightglass (server)",
  ]);
  assert.equal(fullLabel(application("1", "sentry.python")), "python (server, test)");
});

Deno.test("applications of one trace → each name once", () => {
  const applications = [shop("1", { side: "browser" }), shop("2"), application("3", "bank")];
  const joined = joinLabels([...applicationLabels(applications).values()]);
  assert.equal(joined, "shop (browser + server) + bank");
});

Deno.test("release → without the package's name, hashes short", () => {
  assert.equal(shortRelease("shop@1.5.0"), "1.5.0");
  assert.equal(shortRelease("@shop/web@10.3.0"), "10.3.0");
  assert.equal(shortRelease("2026.11.29-main.1"), "2026.11.29-main.1");
  assert.equal(shortRelease("0123456789abcdef0123456789abcdef01234567"), "0123456789ab…");
  assert.equal(shortRelease("1".padEnd(20, ".1")), "1".padEnd(20, ".1"));
});
