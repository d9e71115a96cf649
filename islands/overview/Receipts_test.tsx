import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server.edge";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { ScrollingTable } from "../../components/DataTable.tsx";
import { ReceiptRow } from "./Receipts.tsx";

const receipt: Receipt = {
  id: "4bf92f3577b34da6a3ce929d0e0e4736",
  at: new Date(2020, 7, 14, 14, 3, 22).getTime(),
  items: [{ type: "replay_event", bytes: 300 }, { type: "replay_recording", bytes: 20_480 }],
  bytes: 20_900,
  sentBytes: 20_900,
  status: 200,
  outcome: "stored",
  attempts: 1,
  tookMs: 38.2,
};

/** Text of each cell, without markup. */
function cells(row: Receipt): string[] {
  const html = renderToStaticMarkup(
    <table>
      <tbody>
        <ReceiptRow receipt={row} />
      </tbody>
    </table>,
  );
  return [...html.matchAll(/<td[^>]*>(.*?)<\/td>/g)]
    .map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, "").replaceAll(/\u00a0|&nbsp;/g, " "));
}

Deno.test("receipt → time, items, size, outcome, status and duration, with units", () => {
  assert.deepEqual(cells(receipt), [
    "14 Aug 2020",
    "replay_event, replay_recording",
    "20.4 KiB",
    "stored",
    "200",
    "38 ms",
  ]);
});

Deno.test("refused envelope → the reason is in its row", () => {
  const row = { ...receipt, status: 413, outcome: undefined, error: "envelope_too_large: 24 MiB" };
  assert.deepEqual(cells(row).slice(1, 5), [
    "replay_event, replay_recordingenvelope_too_large: 24 MiB",
    "20.4 KiB",
    "refused",
    "413",
  ]);
});

Deno.test("no response → kept, without a status, with the number of attempts", () => {
  const row = { ...receipt, status: undefined, outcome: undefined, error: "offline", attempts: 3 };
  assert.deepEqual(cells(row).slice(3), ["kept", "–", "38 ms3 attempts"]);
});

Deno.test("markup in an item type → shown as text", () => {
  const type = "<img src=x onerror=alert(1)>";
  const html = renderToStaticMarkup(
    <table>
      <tbody>
        <ReceiptRow receipt={{ ...receipt, items: [{ type, bytes: 1 }] }} />
      </tbody>
    </table>,
  );
  assert.doesNotMatch(html, /<img/);
});

Deno.test("table of envelopes → a named region that can be focused, with column headers", () => {
  const columns = [{ title: "Sent" }, { title: "Size", numeric: true }];
  const html = renderToStaticMarkup(
    <ScrollingTable
      className="receipts"
      caption="Envelopes"
      columns={columns}
      empty="Nothing yet."
    />,
  );
  assert.match(html, /role="region" aria-label="Envelopes" tabindex="0"/);
  assert.match(html, /<caption class="vh">Envelopes<\/caption>/);
  assert.equal(html.match(/<th scope="col"/g)?.length, 2);
  assert.match(html, /Nothing yet\./);
});
