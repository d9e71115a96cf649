import assert from "node:assert/strict";
import { checkLock, checkVersions } from "./check_lock.ts";

const imports = (map: Record<string, string>) => JSON.stringify({ imports: map });

Deno.test("lock with names and hashes → valid", () => {
  assert.deepEqual(
    checkLock('{\n  "npm": {\n    "react@19.3.1": { "integrity": "sha512-x==" }\n}}'),
    [],
  );
});

Deno.test("address or tarball in the lock → reported with its line", () => {
  const problems = checkLock('{\n  "a": "http://mirror.example/a.tgz",\n  "tarball": "x"\n}');
  assert.equal(problems.length, 2);
  assert.match(problems[0] ?? "", /^deno\.lock:2 contains a download address/);
  assert.match(problems[1] ?? "", /^deno\.lock:3 /);
});

Deno.test("exact versions with path, scope or pre-release, and folders → valid", () => {
  const text = imports({
    "react": "npm:react@19.3.1",
    "react/jsx-runtime": "npm:react@19.3.1/jsx-runtime",
    "@sentry/core": "npm:@sentry/core@10.75.2",
    "next": "npm:next@1.0.0-rc.1",
    "@/": "./",
  });
  assert.deepEqual(checkVersions(text), []);
});

for (
  const target of [
    "npm:react",
    "npm:react@^19.3.1",
    "npm:react@~19.3.1",
    "npm:react@19",
    "npm:react@19.3",
    "npm:react@latest",
    "npm:react@*",
    "npm:react@19.3.1 || 18.0.0",
    "https://example.com/react@19.3.1",
  ]
) {
  Deno.test(`not an exact version → reported: ${target}`, () => {
    const problems = checkVersions(imports({ react: target }));
    assert.equal(problems.length, 1);
    assert.ok(problems[0]?.includes(`"${target}"`), problems[0]);
  });
}

Deno.test("one package in two versions → reported", () => {
  const text = imports({
    "react": "npm:react@19.3.1",
    "react/jsx-runtime": "npm:react@19.3.0/jsx-runtime",
  });
  assert.match(checkVersions(text)[0] ?? "", /npm:react as 19\.3\.1 and 19\.3\.0/);
});
