/** What the page uploads: compressed to its own origin, and little. */
import { figureLine, isOver } from "../../bench/figures.ts";
import { loadUnsampled, uploadOf } from "../../bench/upload.ts";
import { expect, opOf, type Span, spansOf, test } from "../harness/browser/fixtures.ts";
import { leave } from "../harness/browser/signals.ts";

const valueOf = ({ attributes }: Span, name: string) => attributes[name]?.value;

test.use({ mode: "relay" });

test("page load not sampled → gzip within the budget; page left → not compressed", async ({ page, arrivals, sent }) => {
  await loadUnsampled(page);
  const envelopes = await arrivals.envelopes();
  // On a busy machine frames that take long follow, in envelopes of their own.
  const ofLoad = envelopes.filter(({ items }) =>
    spansOf(items).some((span) => opOf(span) === "pageload")
  );
  expect(ofLoad).toHaveLength(1);
  const uploaded = uploadOf(ofLoad);
  expect(isOver(uploaded), figureLine(uploaded)).toBe(false);
  expect(new Set(envelopes.map(({ contentEncoding }) => contentEncoding)))
    .toEqual(new Set(["gzip"]));

  // Each script has a span, also those that the page preloads, with what Sentry shows. On a busy machine
  // the last ones are loaded after the page load has ended.
  const spans = spansOf(await arrivals.items("span"));
  const scripts = spans.filter((span) => opOf(span) === "resource.script");
  const load = spans.find((span) => opOf(span) === "pageload")!;
  const loadedUntil = await page.evaluate((end) =>
    performance.getEntriesByType("resource")
      .filter((entry) => performance.timeOrigin + entry.startTime + entry.duration < end)
      .map(({ name }) => new URL(name).pathname), load.end_timestamp * 1000);
  const requested = sent.all.filter(({ kind }) => kind === "script")
    .map(({ url }) => url.pathname).filter((path) => loadedUntil.includes(path));
  expect(requested.length).toBeGreaterThan(3);
  expect(scripts.map(({ name }) => name)).toEqual(expect.arrayContaining(requested));
  expect(spans.filter(({ name }) => name.endsWith(".js")).map(opOf))
    .toEqual(scripts.map(() => "resource.script"));
  for (const span of scripts) {
    expect(valueOf(span, "http.response.status_code"), span.name).toBe(200);
    for (const size of ["http.response_transfer_size", "http.decoded_response_content_length"]) {
      expect(valueOf(span, size), `${span.name} ${size}`).toBeGreaterThan(0);
    }
  }
  for (const span of spans) {
    for (const name of ["origin", "release", "environment", "segment.id"]) {
      expect(valueOf(span, `sentry.${name}`), `${span.name} ${name}`).toBeTruthy();
    }
    expect(valueOf(span, "user_agent.original"), span.name).toContain("Mozilla");
  }

  await leave(page);
  const { envelope } = await arrivals.waitForItem(
    "the page's largest paint",
    (item) => spansOf([item]).some((span) => opOf(span) === "ui.webvital.lcp"),
  );
  expect(envelope.contentEncoding).toBe(null);
});
