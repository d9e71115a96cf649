import {
  type ArrivedItem,
  expect,
  fingerprints,
  logsOf,
  opOf,
  readRecording,
  senderOf,
  type Span,
  spansOf,
  test,
} from "../harness/browser/fixtures.ts";
import {
  blockMainThread,
  ERRORS,
  leave,
  LEVELS,
  LONG_TASK_MS,
  makeEverySignal,
  openPage,
  shownTraceId,
  SLOW_MS,
} from "../harness/browser/signals.ts";

/** The fields that only replay events have. */
interface ReplayEvent {
  readonly replay_id: string;
  readonly segment_id: number;
  readonly trace_ids: readonly string[];
}

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("every signal → arrives, with one trace id", async ({ page, ingest, sent, arrivals, watch }) => {
      watch.allow(...Object.values(ERRORS), "status of 503");
      await openPage(page);
      const traceId = await shownTraceId(page);
      await makeEverySignal(page);

      // Errors: each once, with the page's trace.
      for (const [kind, text] of Object.entries(ERRORS)) {
        const event = await arrivals.waitForError(text);
        expect(event.contexts.trace.trace_id, kind).toBe(traceId);
        const handled = kind === "handled" || kind === "component";
        expect(event.exception.values.at(-1)?.mechanism?.handled, kind).toBe(handled);
        if (kind === "component") {
          expect(JSON.stringify(event)).toMatch(/componentStack|ExampleComponent|errorboundary/i);
        }
      }

      // Logs: each level once, with the page's trace.
      const logs = await arrivals.waitFor("a log of each level", (items) => {
        const found = logsOf(items);
        return LEVELS.every((level) => found.some((log) => log.level === level)) && found;
      });
      expect(new Set(logs.map((log) => log.trace_id))).toEqual(new Set([traceId]));
      expect(logs.map((log) => log.level).sort()).toEqual([...LEVELS].sort());

      // Spans: the page load with its children, a custom span with a fetch as its child.
      const spans = await arrivals.waitFor("the spans", (items) => {
        const found = spansOf(items);
        return has(found, "pageload") && has(found, "resource.script") &&
          has(found, "http.client") &&
          found.some(({ name }) => name.includes("/signal")) && customSpan(found) && found;
      });
      const load = spans.find((span) => opOf(span) === "pageload");
      expect(load?.name).toBe("/");
      expect(load?.trace_id).toBe(traceId);
      const custom = customSpan(spans);
      expect(custom?.trace_id).toBe(traceId);
      const children = spans.filter(({ parent_span_id }) => parent_span_id === custom?.span_id);
      expect(children.map(opOf)).toContain("http.client");

      const requests = await arrivals.waitFor("the slow and the failing request", (items) => {
        const found = spansOf(items).filter((span) => opOf(span) === "http.client");
        return found.some((span) => statusOf(span) === 503) && found.some(isSlow) && found;
      });
      expect(new Set(requests.map(({ trace_id }) => trace_id))).toEqual(new Set([traceId]));
      await arrivals.waitFor(
        "the long task",
        (items) =>
          spansOf(items).some((span) =>
            /^ui\.long-/.test(opOf(span)) && msOf(span) >= LONG_TASK_MS
          ),
      );

      // The recording, with the page's trace. Its first segment may be sent before anything of the trace.
      const replays = await arrivals.waitFor("a recording with the trace", (items) => {
        const found = items.filter(({ type }) => type === "replay_event");
        return found.some((item) => item.json<ReplayEvent>().trace_ids.includes(traceId)) && found;
      });
      const types = replays.flatMap((replay) => {
        const recording = replay.envelope.items.find(({ type }) => type === "replay_recording");
        const { events, compressed, segmentId } = readRecording(recording!);
        expect(compressed).toBe(true);
        expect(segmentId).toBe(replay.json<ReplayEvent>().segment_id);
        return events.map(({ type }) => type);
      });
      expect(types).toContain(2); // a full snapshot

      if (mode !== "relay") return;
      await test.step("ingest → receives the browser's bytes, none of its credentials", async () => {
        // Again while the page sends: what it has posted arrives a moment later.
        await expect(() => {
          const posted = sent.posts("/monitoring").map(({ bytes }) => bytes);
          const received = ingest.requests.map(({ body }) => body)
            .filter((body) => senderOf(body) === "page");
          expect(fingerprints(received)).toEqual(fingerprints(posted));
        }).toPass();
        const secrets = ["cookie", "authorization", "referer", "origin", "x-forwarded-for"];
        for (const { headers } of ingest.requests) {
          for (const secret of secrets) expect(headers[secret], secret).toBeUndefined();
        }
      });
    });
  });
}

test.describe("in relay mode", () => {
  test.use({ mode: "relay" });

  test("page left → paint and web vitals arrive in the page load's trace", async ({ page, arrivals }) => {
    await openPage(page);
    const traceId = await shownTraceId(page);
    const own = (items: readonly ArrivedItem[]) =>
      spansOf(items).filter((span) => span.trace_id === traceId);
    const load = await arrivals.waitFor(
      "the page load",
      (items) => own(items).find((span) => opOf(span) === "pageload"),
    );
    for (const vital of ["fcp", "fp", "ttfb"]) {
      expect(load.attributes[`browser.web_vital.${vital}.value`]?.value, vital)
        .toBeGreaterThan(0);
    }
    // The browser reports a long frame only after it has been drawn, which a busy machine may leave out.
    await expect.poll(async () => {
      const isReported = page.evaluate((ms) =>
        new Promise<boolean>((resolve) => {
          new PerformanceObserver((list) => {
            if (list.getEntries().some(({ duration }) => duration >= ms)) resolve(true);
          }).observe({ type: "long-animation-frame" });
          setTimeout(() => resolve(false), 10 * ms);
        }), LONG_TASK_MS);
      await blockMainThread(page);
      return await isReported;
    }).toBe(true);
    await leave(page);
    await arrivals.waitFor(
      "web vitals, paint and the long frame",
      (items) =>
        ["ui.webvital.lcp", "ui.webvital.cls", "paint", "ui.long-animation-frame"]
          .every((op) => has(own(items), op)),
    );
  });
});

function has(spans: readonly Span[], op: string): boolean {
  return spans.some((span) => opOf(span) === op);
}

const msOf = (span: Span) => (span.end_timestamp - span.start_timestamp) * 1000;
const isSlow = (span: Span) => msOf(span) >= SLOW_MS;
const statusOf = ({ attributes }: Span) => attributes["http.response.status_code"]?.value;

/** The span that the page makes with `@opentelemetry/api`. */
function customSpan(spans: readonly Span[]): Span | undefined {
  return spans.find((span) => span.name.includes("manual span"));
}
