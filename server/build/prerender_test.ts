import "./production.ts";
import assert from "node:assert/strict";
import { type ComponentType, createElement, type ReactNode, useId } from "react";
import { InlineScript, Island, slot } from "../page.tsx";
import { finishPage } from "./pages.ts";
import { checkJson, type PageProps, renderPage } from "./prerender.tsx";

function Inner({ text = "" }: { text?: string }) {
  return createElement("b", { id: useId() }, text);
}

/** An island that contains another one. */
function Outer() {
  return createElement("i", null, createElement(Island<{ text?: string }>, { of: Inner }));
}

const islands = new Map<unknown, string>([[Inner, "Inner"], [Outer, "Outer"]]);

/** Renders a page, in a document of nothing else. Returns its content without the element around it. */
async function render(Page: ComponentType<PageProps>, known = islands) {
  const App = ({ children }: { children: ReactNode }) => children;
  const { content, ...page } = await renderPage({
    path: "/",
    Page,
    App,
    variant: "x",
    islands: known,
  });
  return { ...page, content: content.replace(/^<div data-page="[^"]*">(.*)<\/div>$/s, "$1") };
}

Deno.test("island inside an island → only a component", async () => {
  const Page = () => createElement(Island<object>, { of: Outer });
  const { content, islands: names } = await render(Page);
  assert.match(
    content,
    /^<div data-island="Outer" data-island-id="i0-"><i><b id="_i0-R_\w*_"><\/b><\/i><\/div>$/,
  );
  assert.deepEqual(names, ["Outer"]);
});

Deno.test("load: visible → prerendered, not among the first islands", async () => {
  const Page = () =>
    createElement(Island<{ text?: string }>, { of: Inner, load: "visible", props: { text: "x" } });
  const { content, islands: names } = await render(Page);
  assert.match(
    content,
    /^<div data-island="Inner" data-island-id="i0-" data-island-load="visible"><b /,
  );
  assert.deepEqual(names, []);
});

Deno.test("not an island, or props that are not JSON → build error", async () => {
  const Stranger = () => null;
  const page = (component: ComponentType, props: object) => () =>
    createElement(Island<object>, { of: component as ComponentType<object>, props });
  await assert.rejects(
    render(page(Stranger, {})),
    /<Island of=\{Stranger\}> is not an island/,
  );
  await assert.rejects(
    render(page(Inner, { text: () => "" })),
    /the property "text" of island Inner to the browser: it is not a JSON value/,
  );
});

Deno.test("error in a page or an island → build error", async () => {
  const fail = () => {
    throw new Error("cannot render");
  };
  await assert.rejects(render(fail), /cannot render/);
  const Page = () => createElement(Island<object>, { of: fail });
  const known = new Map<unknown, string>([[fail, "Fail"]]);
  await assert.rejects(render(Page, known), /cannot render/);
});

Deno.test("text that looks like an island's placeholder → text", async () => {
  const Page = () => createElement("p", null, '<div data-island="x"></div>');
  const { content } = await render(Page);
  assert.equal(content, "<p>&lt;div data-island=&quot;x&quot;&gt;&lt;/div&gt;</p>");
});

Deno.test("inline script → normalised line ends; `</script`, `<!--`, slots refused", async () => {
  const Page = () => createElement(InlineScript, { code: "a\r\nb && c" });
  const { content, inlineScripts } = await render(Page);
  assert.deepEqual([content, inlineScripts], ["<script>a\nb && c</script>", ["a\nb && c"]]);
  for (const code of ["'</SCRIPT>'", "x <!-- y", slot("x")]) {
    const Bad = () => createElement(InlineScript, { code });
    await assert.rejects(render(Bad), TypeError, code);
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
  const parts = { style: "", importMap: {}, preload: [], scripts: [] };
  assert.throws(() => finishPage({ ...page, islands: [] }, parts), /no <head>/);
});
