import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server.edge";
import { settings } from "../monitoring/settings.ts";
import { settingRows } from "../components/Configuration.tsx";
import { slot } from "../server/page.tsx";
import NotFound from "./_404.tsx";
import ServerError from "./_500.tsx";
import Page from "./index.tsx";

const pages = Object.fromEntries(
  ["inbox", "relay"].map((variant) => [variant, renderToStaticMarkup(<Page variant={variant} />)]),
);
const { inbox = "", relay = "" } = pages;
const text = (html: string) => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

for (const [variant, html] of Object.entries(pages)) {
  Deno.test(`${variant} mode → one h1, and an h2 that names each region`, () => {
    assert.equal(html.match(/<h1>/g)?.length, 1);
    const named = [...html.matchAll(/<section[^>]* aria-labelledby="(\w+)"/g)].map(([, id]) => id);
    assert.deepEqual([...html.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id), named);
    assert.doesNotMatch(html, /<h[3-6]/);
  });

  Deno.test(`${variant} mode → no inline styles or event attributes, which the CSP blocks`, () => {
    assert.doesNotMatch(html, /\sstyle=/);
    assert.doesNotMatch(html, /\son\w+=/);
  });

  Deno.test(`${variant} mode → every table has a caption, every header cell a scope`, () => {
    assert.equal(html.match(/<table/g)?.length, html.match(/<caption/g)?.length);
    for (const [cell] of html.matchAll(/<th[\s>][^>]*/g)) assert.match(cell, /scope="(col|row)"/);
  });

  Deno.test(`${variant} mode, no JavaScript → all controls disabled, and a note`, () => {
    const enabled = html.replaceAll(/<fieldset[^>]* disabled="">.*?<\/fieldset>/g, "")
      .match(/<(button|input)(?![^>]*disabled)/);
    assert.equal(enabled, null);
    assert.match(html, /<noscript>.*JavaScript is off/);
  });

  Deno.test(`${variant} mode, telemetry on the page → blocked from recordings`, () => {
    assert.match(html, /class="pipeline-strip"[^>]* data-sentry-block/);
    assert.match(
      html,
      variant === "inbox"
        ? /data-sentry-block=""><p class="empty"/
        : /data-sentry-block=""><div class="frame"/,
    );
    const visit = html.slice(html.indexOf('id="visit"'));
    assert.ok(visit.indexOf("data-sentry-block") < visit.indexOf("Trace"));
  });

  Deno.test(`${variant} mode → shows the settings`, () => {
    for (const { name, value } of settingRows(settings)) {
      assert.match(text(html), new RegExp(`${name} ${value}`));
    }
  });

  Deno.test(`${variant} mode → slots for what the environment decides`, () => {
    for (const name of ["route", "ingest", "storage", "release", "environment", "build"]) {
      assert.ok(html.includes(slot(name)), name);
    }
  });

  Deno.test(`${variant} mode → a control for each signal`, () => {
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

Deno.test("inbox mode → the inbox; relay mode → destination and outcomes", () => {
  assert.match(text(inbox), /Newest errors.*Slowest traces of the last hour/);
  assert.doesNotMatch(text(inbox), /Accepted by the ingest/);
  assert.match(text(relay), /Destination Route of .*Accepted by the ingest/);
  assert.doesNotMatch(text(relay), /Newest errors/);
  for (const page of [inbox, relay]) assert.doesNotMatch(text(page), /stored in Sentry/);
});

Deno.test("error pages → the status, and a link to the page", () => {
  assert.match(text(renderToStaticMarkup(<NotFound />)), /Status 404.*Open Sightglass/);
  assert.match(text(renderToStaticMarkup(<ServerError />)), /status 500.*Open Sightglass/);
});
