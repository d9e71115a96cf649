import assert from "node:assert/strict";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { MaskingReport } from "../../monitoring/models/recording/masking_report/masking_report.ts";
import { element, entry, pageEvents, text } from "../../tests/harness/recorded_segments.ts";
import { omissions, reportAsText } from "./report_as_text.ts";

const NOON = 1_795_262_400_000;
const ID = "5".repeat(32);
const READ = { events: 3, envelopes: 1, omittedEnvelopes: 0, hasMore: false };

Deno.test("report as text → counts, places and options, without any value", () => {
  const report = new MaskingReport(["Secret tea", "not there"]);
  const events = [
    ...pageEvents(NOON, [
      element(10, "p", { title: "****" }, [text(11, "Write to ann@shop.example")]),
      element(12, "img", { alt: "Secret tea", rr_width: "1px" }),
    ]),
    entry(NOON + 61_000, "options", { maskAllText: false }),
  ];
  for (const event of events) report.addEvent(event as never);
  report.addEnvelope(
    7,
    envelopeOf({ sdk: { name: "sentry.python" } }, ["log", {
      items: [{ timestamp: NOON / 1000 + 75, body: "mail to ann@shop.example" }],
    }]),
  );
  const written = reportAsText({ ...report.result(), ...READ }, { replayId: ID, from: NOON });
  assert.equal(
    written,
    `Masking report of recording ${ID}
Recorded with maskAllText: false.

Texts: 1 readable, 0 masked
Inputs: none
Attributes: 1 readable, 1 masked
Media: 0 readable, 1 blocked
Addresses: 1 readable, 0 masked

Looks like personal data, not masked: 2
- e-mail address: Text, html > body > p, at 0:00: maskAllText: true, or mask: ['html > body > p']
- e-mail address: Log, items[0].body, at 1:15: before_send_log

Searched for a text of 10\u00a0characters, "Se…": found in 1\u00a0place
- Attribute alt, html > body > img, at 0:00: maskAttributes: ["title","placeholder","aria-label","alt"]

Searched for a text of 9\u00a0characters, "no…": not found
`,
  );
});

Deno.test("what was not read → a sentence for each", () => {
  const result = { ...new MaskingReport().result(), omitted: 1, cut: 2, unread: 3 };
  const sentences = omissions({ ...result, ...READ, omittedEnvelopes: 4, hasMore: true });
  assert.deepEqual(sentences.map((sentence) => sentence.slice(0, 16)), [
    "1\u00a0more finding n",
    "4\u00a0envelopes of t",
    "This visit has m",
    "3\u00a0items not read",
    "2\u00a0texts of more ",
  ]);
  assert.deepEqual(omissions({ ...result, ...READ, omitted: 0, cut: 0, unread: 0 }), []);
});
