import "./production.ts";
import assert from "node:assert/strict";
import { createElement as h, type FunctionComponent, type ReactNode, useId } from "react";
import { InlineScript, Island, slot } from "../page.tsx";
import { finishPage } from "./pages.ts";
import { checkJson, renderPage } from "./prerender.tsx";

/** Not JSX: its runtime would be loaded before `production.ts`. */
const island = (of: FunctionComponent<never>, more: { props?: object } = {}) =>
  h(Island<object>, { of: of as FunctionComponent<object>, ...more });

const Inner = ({ text = "" }: { text?: string }) => h("b", { id: useId() }, text);
/** An island that contains another one. */
const Outer = () => h("i", null, island(Inner));
const Failing = (): ReactNode => {
  throw new Error("cannot render");
};
const Stranger = () => null;
const Unsafe = ({ text }: { text: () => string }) => h("b", null, text());

const islands = new Map<unknown, string>([
  [Inner, "Inner"],
  [Outer, "Outer"],
  [Failing, "Failing"],
  [Unsafe, "Unsafe"],
]);

/** Renders a page, in a document of nothing else. Returns its content without the element around it. */
async function render(Page: FunctionComponent) {
  const App = ({ children }: { children: ReactNode }) => children;
  const { content, ...page } = await renderPage({ path: "/", Page, App, variant: "x", islands });
  return { ...page, content: content.replace(/^<div data-page="[^"]*">(.*)<\/div>$/s, "$1") };
}

Deno.test("island inside an island → only a component", async () => {
  const { content, islands: names } = await render(() => island(Outer));
  assert.match(
    content,
    /^<div data-island="Outer" data-island-id="i0-"><i><b id="_i0-R_\w*_"><\/b><\/i><\/div>$/,
  );
  assert.deepEqual(names, ["Outer"]);
});

Deno.test("no island, props that are not JSON, error in page or island → build error", async () => {
  const cases: [FunctionComponent, RegExp][] = [
    [() => island(Stranger), /<Island of=\{Stranger\}> is not an island/],
    [
      () => island(Unsafe, { props: { text: () => "" } }),
      /the property "text" of island Unsafe to the browser: it is not a JSON value/,
    ],
    [Failing, /cannot render/],
    [() => island(Failing), /cannot render/],
  ];
  for (const [Page, error] of cases) await assert.rejects(render(Page), error);
});

Deno.test("text that looks like an island's placeholder → text", async () => {
  const { content } = await render(() => h("p", null, '<div data-island="x"></div>'));
  assert.equal(content, "<p>&lt;div data-island=&quot;x&quot;&gt;&lt;/div&gt;</p>");
});

Deno.test("inline script → normalised line ends; `</script`, `<!--`, slots refused", async () => {
  const { content, inlineScripts } = await render(() => h(InlineScript, { code: "a\r\nb && c" }));
  assert.deepEqual([content, inlineScripts], ["<script>a\nb && c</script>", ["a\nb && c"]]);
  for (const code of ["'</SCRIPT>'", "x <!-- y", slot("x")]) {
    await assert.rejects(render(() => h(InlineScript, { code })), TypeError, code);
  }
});

Deno.test("props that JSON would change → refused with the property", () => {
  checkJson({ a: [1, "x", null, true, { b: undefined }] }, "Inner");
  const bad: [object, RegExp][] = [
    [{ a: [NaN] }, /property "0"/],
    [{ a: new Date(0) }, /property "a"/],
    [{ a: [undefined] }, /property "0"/],
    [{ a: { b: 1n } }, /property "b"/],
    [{ a: new Map() }, /property "a"/],
  ];
  for (const [props, message] of bad) assert.throws(() => checkJson(props, "Inner"), message);
});

Deno.test("document without head → refused", () => {
  const page = { path: "/", variant: "x", html: "<p></p>", content: "", inlineScripts: [] };
  const parts = { style: "", importMap: {}, preload: [], scripts: [], later: [] };
  assert.throws(() => finishPage({ ...page, islands: [] }, parts), /no <head>/);
});
