import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server.edge";
import { VIEWS } from "../islands/shell/registry.ts";
import { type PageRender, PageRenderContext, slot } from "../server/page.tsx";
import NotFound from "./_404.tsx";
import ServerError from "./_500.tsx";
import Page from "./index.tsx";

/** The page with its island. */
function render(variant: string): string {
  const page: PageRender = { inlineScripts: new Set() };
  const html = renderToStaticMarkup(
    <PageRenderContext value={page}>
      <Page variant={variant} />
    </PageRenderContext>,
  );
  const { component: Island, props } = page.island!;
  return html.replace(
    '<div data-island="">',
    () => `<div>${renderToStaticMarkup(<Island {...props} />)}`,
  );
}

const pages = Object.fromEntries(["inbox", "relay"].map((variant) => [variant, render(variant)]));
const text = (html: string) => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

for (const [variant, html] of Object.entries(pages)) {
  Deno.test(`${variant} mode → one h1, and an h2 that names each view`, () => {
    assert.equal(html.match(/<h1>/g)?.length, 1);
    const views = [...html.matchAll(/<section class="view (\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(views, VIEWS.map(({ id }) => id));
    const named = [...html.matchAll(/<section[^>]* aria-labelledby="([\w-]+)"/g)].map(([, id]) =>
      id
    );
    assert.deepEqual([...html.matchAll(/<h2 id="([\w-]+)"/g)].map(([, id]) => id), named);
    assert.doesNotMatch(html, /<h[3-6]/);
  });

  Deno.test(`${variant} mode → every table has a caption, every header cell a scope`, () => {
    assert.equal(html.match(/<table/g)?.length, html.match(/<caption/g)?.length);
    for (const [cell] of html.matchAll(/<th[\s>][^>]*/g)) assert.match(cell, /scope="(col|row)"/);
  });

  Deno.test(`${variant} mode, telemetry on the page → blocked from recordings`, () => {
    // Its content is loaded later: islands/shell/LivePipelineMark.tsx blocks it.
    assert.match(html, /<section class="strip"[^>]*><\/section>/);
    for (const [tag, name] of html.matchAll(/<section class="view (\w+)"[^>]*>/g)) {
      assert.equal(tag.includes("data-sentry-block"), name !== "settings", name);
    }
  });

  Deno.test(`${variant} mode → slots for what the environment decides`, () => {
    for (const name of ["route", "ingest", "storage", "release", "environment", "build"]) {
      assert.ok(html.includes(slot(name)), name);
    }
  });
}

Deno.test("error pages → the status, and a link to the page", () => {
  assert.match(text(renderToStaticMarkup(<NotFound />)), /Status 404.*Open Sightglass/);
  assert.match(text(renderToStaticMarkup(<ServerError />)), /status 500.*Open Sightglass/);
});
