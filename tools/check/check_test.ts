import assert from "node:assert/strict";
import { checkLock, checkVersions } from "./check.ts";

Deno.test("address or tarball in the lock → each reported; names and hashes → valid", () => {
  assert.deepEqual(checkLock('{ "npm": { "react@19.3.1": { "integrity": "sha512-x==" } } }'), []);
  const problems = checkLock('{\n  "a": "http://mirror.example/a.tgz",\n  "tarball": "x"\n}');
  assert.equal(problems.length, 2);
  assert.match(problems[0]!, /download address: "a": "http:\/\/mirror\.example\/a\.tgz",\. Remove/);
});

Deno.test("exact versions and folders → valid; any other target → reported", () => {
  const check = (target: string, name = "x") =>
    checkVersions(JSON.stringify({ imports: { [name]: target } }));
  for (const target of ["react@19.3.1", "@sentry/core@10.75.2", "next@1.0.0-rc.1"]) {
    assert.deepEqual(check(`npm:${target}`), []);
  }
  assert.deepEqual(check("./", "@/"), []);
  const ranges = ["", "@^19.3.1", "@~19.3.1", "@19", "@19.3", "@latest", "@*", "@19.3.1 || 18.0.0"];
  for (const target of [...ranges.map((range) => `npm:react${range}`), "https://x.example/a.js"]) {
    const problems = check(target);
    assert.equal(problems.length, 1, target);
    assert.ok(problems[0]!.includes(`"${target}"`), problems[0]);
  }
});
