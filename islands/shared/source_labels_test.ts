import assert from "node:assert/strict";
import { OWN_SOURCE, type Source } from "../../monitoring/models/rows.ts";
import { fullLabel, joinLabels, sourceLabels } from "./source_labels.ts";

const source = (key: string, name: string, rest: Partial<Source> = {}): Source => ({
  key,
  name,
  environment: "test",
  side: "server",
  ...rest,
});
const labels = (...sources: readonly Source[]) =>
  [...sourceLabels(sources).values()].map((label) => joinLabels([label]));

const shop = (key: string, rest: Partial<Source> = {}) => source(key, "shop", rest);

Deno.test("different names → names, SDKs without their common prefix", () => {
  const sdks = [source("1", "sentry.javascript.node"), source("2", "sentry.python.django")];
  assert.deepEqual(labels(shop("9"), ...sdks, OWN_SOURCE), [
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
  assert.deepEqual(labels(OWN_SOURCE, source("1", "Sightglass")), [
    "Sightglass",
    "Sightglass (server)",
  ]);
  assert.equal(fullLabel(source("1", "sentry.python")), "python (server, test)");
});

Deno.test("sources of one trace → each name once", () => {
  const sources = [shop("1", { side: "browser" }), shop("2"), source("3", "bank")];
  const joined = joinLabels([...sourceLabels(sources).values()]);
  assert.equal(joined, "shop (browser + server) + bank");
});
