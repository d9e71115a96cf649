import "./production.ts";
import assert from "node:assert/strict";
import { createElement as h, type FunctionComponent, type ReactNode, useId } from "react";
import { InlineScript, Island, slot } from "../page.tsx";
import { finishPage, renderPage } from "./pages.tsx";

/** Not JSX: its runtime would be loaded before `production.ts`. */
const island = (of: FunctionComponent) => h(Island<object>, { of, props: {} });

const Inner = () => h("b", { id: useId() });
const Failing = (): ReactNode => {
  throw new Error("cannot render");
};

/** Renders a page, in a document of nothing else. Returns its content without the element around it. */
async function render(Page: FunctionComponent) {
  const App = ({ children }: { children: ReactNode }) => children;
  const { content, ...page } = await renderPage({ path: "/", Page, App, variant: "x" });
  return { ...page, content: content.replace(/^<div data-page="[^"]*">(.*)<\/div>$/s, "$1") };
}

Deno.test("island → rendered by itself, with its own identifiers", async () => {
  const { content } = await render(() => h("p", { id: useId() }, island(Inner)));
  assert.match(
    content,
    /^<p id="_page-R_\w*_"><div data-island="i-"><b id="_i-R_\w*_"><\/b><\/div><script type="application\/json" data-island-props>{}<\/script><\/p>$/,
  );
});

Deno.test("two islands, error in page or island → build error", async () => {
  const cases: [FunctionComponent, RegExp][] = [
    [() => h("p", null, island(Inner), island(Inner)), /only one island/],
    [Failing, /cannot render/],
    [() => island(Failing), /cannot render/],
  ];
  for (const [Page, error] of cases) await assert.rejects(render(Page), error);
});

Deno.test("text that looks like an island's placeholder → text", async () => {
  const { content } = await render(() => h("p", null, '<div data-island=""></div>'));
  assert.equal(content, "<p>&lt;div data-island=&quot;&quot;&gt;&lt;/div&gt;</p>");
});

Deno.test("inline script → normalised line ends; `</script`, `<!--`, slots refused", async () => {
  const { content, inlineScripts } = await render(() => h(InlineScript, { code: "a\r\nb && c" }));
  assert.deepEqual([content, inlineScripts], ["<script>a\nb && c</script>", ["a\nb && c"]]);
  for (const code of ["'</SCRIPT>'", "x <!-- y", slot("x")]) {
    await assert.rejects(render(() => h(InlineScript, { code })), TypeError, code);
  }
});

Deno.test("document without head, script in a page → refused", () => {
  const page = { path: "/", variant: "x", html: "<p></p>", content: "", inlineScripts: [] };
  const parts = { style: "", importMap: {}, preload: [], scripts: [], later: [] };
  assert.throws(() => finishPage(page, parts), /no <head>/);
  const scripted = { ...page, html: "<head></head>", content: "<script>ran = true</script>" };
  assert.throws(
    () => finishPage(scripted, parts),
    /A page cannot contain a script: put it into routes\/_app\.tsx/,
  );
});
