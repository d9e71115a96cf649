import assert from "node:assert/strict";
import { SITE } from "../testdata/fixture.ts";
import { scanProject } from "./scan.ts";

const paths = (found: readonly { path: string }[]) => found.map(({ path }) => path);

Deno.test("files are pages, handlers, islands and statics by where they stand", () => {
  const project = scanProject(SITE);
  assert.deepEqual(paths(project.pages), ["/about", "/", "/long"]);
  assert.deepEqual(paths(project.handlers), ["/api/echo", "/api/fail", "/items/[id]"]);
  assert.deepEqual(paths(project.middleware), ["/", "/api"]);
  assert.deepEqual(project.islands.map(({ name }) => name), [
    "Counter",
    "Field",
    "Folded",
    "Plain",
  ]);
  assert.deepEqual(paths(project.statics), ["/icon.svg", "/note.txt"]);
  assert.equal(project.app, "routes/_app.tsx");
  assert.equal(project.notFound, "routes/_404.tsx");
  assert.equal(project.serverError, "routes/_500.tsx");
  assert.equal(project.style, "static/page.css");
});

Deno.test("tests and files that begin with _ are no routes and no islands", () => {
  const project = scanProject("/nowhere", [
    "islands/A_test.tsx",
    "islands/_private.tsx",
    "islands/helper.ts",
    "routes/_state.ts",
    "routes/a/_helper.tsx",
    "routes/a/index.ts",
    "routes/a_test.ts",
  ]);
  assert.deepEqual(paths(project.handlers), ["/a"]);
  assert.deepEqual([project.pages, project.islands], [[], []]);
});

Deno.test("a static file's name is served as a URL writes it", () => {
  const { statics } = scanProject("/nowhere", ["static/a b/ü.txt"]);
  assert.deepEqual(paths(statics), ["/a%20b/%C3%BC.txt"]);
});

Deno.test("what cannot be told apart is refused by name", () => {
  const refuse = (files: string[], message: RegExp) =>
    assert.throws(() => scanProject("/nowhere", files), message);
  refuse(
    ["routes/a.ts", "routes/a.tsx"],
    /routes\/a\.tsx and routes\/a\.ts would both answer at \/a/,
  );
  refuse(["routes/a.ts", "routes/a/index.ts"], /both answer at \/a/);
  refuse(["routes/x.txt.ts", "static/x.txt"], /both answer at \/x\.txt/);
  refuse(["static/assets/x.js"], /which is where built files are/);
  refuse(["islands/counter.tsx"], /islands\/counter\.tsx is no name of an island/);
  refuse(["islands/A.tsx", "islands/b/A.tsx"], /have the same name/);
});
