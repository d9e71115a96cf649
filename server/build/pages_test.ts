import "./production.ts";
import assert from "node:assert/strict";
import { createElement as h, type FunctionComponent, type ReactNode, useId } from "react";
import { Island } from "../page.tsx";
import { renderPage } from "./pages.tsx";

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

Deno.test("error in page or island → build error", async () => {
  const cases: [FunctionComponent, RegExp][] = [
    [Failing, /cannot render/],
    [() => island(Failing), /cannot render/],
  ];
  for (const [Page, error] of cases) await assert.rejects(render(Page), error);
});

Deno.test("text that looks like an island's placeholder → text", async () => {
  const { content } = await render(() => h("p", null, '<div data-island=""></div>'));
  assert.equal(content, "<p>&lt;div data-island=&quot;&quot;&gt;&lt;/div&gt;</p>");
});
