import "./production.ts";
import assert from "node:assert/strict";
import { type ComponentType, createElement, useId } from "react";
import { InlineScript, Island, slot } from "../page.tsx";
import { finishDocument } from "./pages.ts";
import { checkJson, renderPage } from "./prerender.tsx";

function Inner({ text = "" }: { text?: string }) {
  return createElement("b", { id: useId() }, text);
}

/** An island that contains another one. */
function Outer() {
  return createElement("i", null, createElement(Island<{ text?: string }>, { of: Inner }));
}

const islands = new Map<unknown, string>([[Inner, "Inner"], [Outer, "Outer"]]);

Deno.test("island inside an island → only a component", async () => {
  const Page = () => createElement(Island<object>, { of: Outer });
  const { html, islands: names } = await renderPage({ Page, variant: "x", islands });
  assert.match(
    html,
    /^<div data-island="Outer" data-island-id="i0-"><i><b id="_i0-R_\w*_"><\/b><\/i><\/div>$/,
  );
  assert.deepEqual(names, ["Outer"]);
});

Deno.test("load: visible → prerendered, not among the first islands", async () => {
  const Page = () =>
    createElement(Island<{ text?: string }>, { of: Inner, load: "visible", props: { text: "x" } });
  const { html, islands: names } = await renderPage({ Page, variant: "x", islands });
  assert.match(
    html,
    /^<div data-island="Inner" data-island-id="i0-" data-island-load="visible"><b /,
  );
  assert.deepEqual(names, []);
});

Deno.test("not an island, or props that are not JSON → build error", async () => {
  const Stranger = () => null;
  const page = (component: ComponentType, props: object) => () =>
    createElement(Island<object>, { of: component as ComponentType<object>, props });
  await assert.rejects(
    renderPage({ Page: page(Stranger, {}), variant: "x", islands }),
    /<Island of=\{Stranger\}> is not an island/,
  );
  await assert.rejects(
    renderPage({ Page: page(Inner, { text: () => "" }), variant: "x", islands }),
    /the props of island Inner\.text to the browser: function is not a JSON value/,
  );
});

Deno.test("error in a page or an island → build error", async () => {
  const fail = () => {
    throw new Error("cannot render");
  };
  await assert.rejects(renderPage({ Page: fail, variant: "x", islands }), /cannot render/);
  const Page = () => createElement(Island<object>, { of: fail });
  const known = new Map<unknown, string>([[fail, "Fail"]]);
  await assert.rejects(renderPage({ Page, variant: "x", islands: known }), /cannot render/);
});

Deno.test("text that looks like an island's placeholder → text", async () => {
  const Page = () => createElement("p", null, '<div data-island="x"></div>');
  const { html } = await renderPage({ Page, variant: "x", islands });
  assert.equal(html, "<p>&lt;div data-island=&quot;x&quot;&gt;&lt;/div&gt;</p>");
});

Deno.test("inline script → normalised line ends; `</script`, `<!--`, slots refused", async () => {
  const Page = () => createElement(InlineScript, { code: "a\r\nb && c" });
  const { html, inlineScripts } = await renderPage({ Page, variant: "x", islands });
  assert.deepEqual([html, inlineScripts], ["<script>a\nb && c</script>", ["a\nb && c"]]);
  for (const code of ["'</SCRIPT>'", "x <!-- y", slot("x")]) {
    const Bad = () => createElement(InlineScript, { code });
    await assert.rejects(renderPage({ Page: Bad, variant: "x", islands }), TypeError, code);
  }
});

Deno.test("props that JSON would change → refused with their path", () => {
  checkJson({ a: [1, "x", null, true, { b: undefined }] }, "props");
  const bad: [unknown, RegExp][] = [
    [{ a: [NaN] }, /props\.a\[0\]/],
    [{ a: new Date(0) }, /props\.a to the browser: Date/],
    [{ a: [undefined] }, /props\.a\[0\].*undefined/],
    [{ a: 1n }, /bigint/],
    [{ a: new Map() }, /Map/],
  ];
  for (const [value, message] of bad) assert.throws(() => checkJson(value, "props"), message);
});

Deno.test("document without head, style with `</style` → refused", () => {
  const parts = { importMap: {}, preload: [], scripts: [] };
  assert.throws(() => finishDocument("<p></p>", [], parts), /no <head>/);
  const style = "a{}</style>";
  assert.throws(() => finishDocument("<head></head>", [], { ...parts, style }), /<\/style/);
});
