import assert from "node:assert/strict";
import { checkLinks } from "./check_links.ts";

const FILES: Record<string, string> = {
  "ARCHITECTURE.md": "# Architecture\n\n## Why `node:sqlite`, and how?\n",
  "docs/page.png": "binary",
  "tests/relay": "",
  "tests/relay/limits_test.ts": 'Deno.test("an envelope too large is 413", () => {\n});\n',
};
const check = (text: string, path = "README.md") =>
  checkLinks(path, (target) => ({ ...FILES, [path]: text })[target]);

Deno.test("links with existing targets → valid", () => {
  const text = [
    "# Sightglass",
    "![the page](docs/page.png) and [why](ARCHITECTURE.md#why-nodesqlite-and-how)",
    "[here](#sightglass), [folder](tests/relay), [elsewhere](https://sentry.io/) [mail](mailto:a@b.c)",
    '[named](tests/relay/limits_test.ts "an envelope too large is 413")',
  ].join("\n");
  assert.deepEqual(check(text), []);
});

Deno.test("relative link → resolved against its document", () => {
  assert.deepEqual(check("[up](../ARCHITECTURE.md)", "docs/guide.md"), []);
  assert.equal(check("[not up](ARCHITECTURE.md)", "docs/guide.md").length, 1);
});

Deno.test("missing file, heading or text → each reported", () => {
  const problems = check([
    "[missing](docs/missing.md)",
    "[no heading](ARCHITECTURE.md#because) [no heading here](#nowhere)",
    '[no such test](tests/relay/limits_test.ts "it is unlimited")',
  ].join("\n"));
  assert.deepEqual(problems, [
    "README.md:1 links to docs/missing.md, but there is no such file.",
    "README.md:2 links to ARCHITECTURE.md#because, but that file has no such heading.",
    "README.md:2 links to #nowhere, but that file has no such heading.",
    'README.md:3 links to tests/relay/limits_test.ts, but that file does not contain "it is unlimited".',
  ]);
});

Deno.test("link in code → ignored", () => {
  assert.deepEqual(check("`[a](missing)`\n\n```md\n[b](missing)\n```"), []);
  assert.equal(check("```md\n```\n[b](missing)").length, 1, "after the fence");
});

Deno.test("promise without a link to a test → reported", () => {
  const problems = check([
    "- before: [no promise](docs/page.png)",
    "## What it promises",
    "Words around it.",
    "- Limits hold ([proof](tests/relay/limits_test.ts)).",
    "- It is fast.",
    "| Promise | Proof |",
    "|---|---|",
    "| Limits | [proof](tests/relay/limits_test.ts) |",
    "| Beauty | [picture](docs/page.png) |",
    "### Further",
    "1. Further down",
    "## Development",
    "- no promise either",
  ].join("\n"));
  assert.deepEqual(problems.map((line) => line.split(" ")[0]), [
    "README.md:5",
    "README.md:9",
    "README.md:11",
  ]);
});
