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

Deno.test("different names → names, SDKs without their common prefix", () => {
  assert.deepEqual(
    labels(
      source("1", "shop"),
      source("2", "sentry.javascript.node"),
      source("3", "sentry.python.django"),
      OWN_SOURCE,
    ),
    ["shop", "node", "python.django", "Sightglass"],
  );
});

Deno.test("same name → with the side; same side too → with the environment", () => {
  assert.deepEqual(
    labels(
      source("1", "shop", { side: "browser" }),
      source("2", "shop"),
      source("3", "shop", { environment: "staging" }),
      source("4", "shop", { side: "unknown", environment: null }),
    ),
    ["shop (browser)", "shop (server, test)", "shop (server, staging)", "shop"],
  );
});

Deno.test("application named Sightglass → not taken for Sightglass itself", () => {
  const [own, other] = labels(OWN_SOURCE, source("1", "Sightglass"));
  assert.deepEqual([own, other], ["Sightglass", "Sightglass (server)"]);
  assert.equal(fullLabel(source("1", "sentry.python")), "python (server, test)");
});

Deno.test("sources of one trace → each name once", () => {
  const [browser, server, bank] = [
    source("1", "shop", { side: "browser" }),
    source("2", "shop"),
    source("3", "bank"),
  ];
  const joined = joinLabels([...sourceLabels([browser!, server!, bank!]).values()]);
  assert.equal(joined, "shop (browser + server) + bank");
});
