import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server.edge";
import { settings } from "../monitoring/settings.ts";
import { settingRows } from "../components/setting_rows.ts";
import { slot } from "../server/page.ts";
import NotFound from "./_404.tsx";
import ServerError from "./_500.tsx";
import Page, { variants } from "./index.tsx";

const pages = Object.fromEntries(
  variants.map((variant) => [variant, renderToStaticMarkup(<Page variant={variant} />)]),
);
const { inbox = "", relay = "" } = pages;
const text = (html: string) => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

for (const [variant, html] of Object.entries(pages)) {
  Deno.test(`${variant}: one h1, then headings of the second level, each naming its region`, () => {
    assert.equal(html.match(/<h1>/g)?.length, 1);
    const named = [...html.matchAll(/<section[^>]* aria-labelledby="(\w+)"/g)].map(([, id]) => id);
    assert.deepEqual([...html.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id), named);
    assert.doesNotMatch(html, /<h[3-6]/);
  });

  Deno.test(`${variant}: nothing that the CSP blocks is rendered`, () => {
    assert.doesNotMatch(html, /\sstyle=/);
    assert.doesNotMatch(html, /\son\w+=/);
  });

  Deno.test(`${variant}: every table has a caption, every header cell its scope`, () => {
    assert.equal(html.match(/<table/g)?.length, html.match(/<caption/g)?.length);
    for (const [cell] of html.matchAll(/<th[\s>][^>]*/g)) assert.match(cell, /scope="(col|row)"/);
  });

  Deno.test(`${variant}: without JavaScript every control is disabled, and the page says so`, () => {
    const enabled = html.replaceAll(/<fieldset disabled="">.*?<\/fieldset>/g, "")
      .match(/<(button|input)(?![^>]*disabled)/);
    assert.equal(enabled, null);
    assert.match(html, /<noscript>.*JavaScript is off/);
  });

  Deno.test(`${variant}: what displays telemetry is blocked from recordings`, () => {
    for (
      const inside of [
        /class="glass"[^>]* data-sentry-block/,
        /data-sentry-block=""><div class="frame"/,
      ]
    ) {
      assert.match(html, inside);
    }
    const visit = html.slice(html.indexOf('id="visit"'));
    assert.ok(visit.indexOf("data-sentry-block") < visit.indexOf("Trace"));
  });

  Deno.test(`${variant}: the settings in force stand on it`, () => {
    for (const { name, value } of settingRows(settings)) {
      assert.match(text(html), new RegExp(`${name} ${value}`));
    }
  });

  Deno.test(`${variant}: what the environment decides is left to the start`, () => {
    for (const name of ["route", "ingest", "kept", "release", "environment", "build"]) {
      assert.ok(html.includes(slot(name)), name);
    }
  });

  Deno.test(`${variant}: there is a control for each signal`, () => {
    const names = [...html.matchAll(/<button[^>]*>([^<]+)/g)].map(([, name]) => name);
    for (
      const name of [
        "Uncaught error",
        "Unhandled rejection",
        "Component error",
        "Handled error",
        "trace",
        "debug",
        "info",
        "warn",
        "error",
        "fatal",
        "Slow request",
        "Failing request",
        "Long task",
        "Span with a fetch",
      ]
    ) assert.ok(names.includes(name), name);
  });
}

Deno.test("the inbox is shown in inbox mode alone, the meaning of answers in relay mode alone", () => {
  assert.match(text(inbox), /Arrived in the inbox/);
  assert.doesNotMatch(text(inbox), /Where envelopes go/);
  assert.match(text(relay), /Where envelopes go .*The ingest accepted the envelope/);
  assert.doesNotMatch(text(relay), /Arrived in the inbox/);
  for (const page of [inbox, relay]) assert.doesNotMatch(text(page), /stored in Sentry/);
});

Deno.test("an error page says its status and leads back", () => {
  assert.match(text(renderToStaticMarkup(<NotFound />)), /Status 404.*Go to Sightglass/);
  assert.match(text(renderToStaticMarkup(<ServerError />)), /Status 500.*Go to Sightglass/);
});
