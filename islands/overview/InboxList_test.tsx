import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server.edge";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { InboxEnvelopeRow } from "./InboxList.tsx";

const row: InboxRow = {
  id: 17,
  received_at: new Date(2020, 7, 14, 14, 3, 22).getTime(),
  event_id: "9ec79c33ec9942ab8353589fcb2e04dc",
  trace_ids: ["4bf92f3577b34da6a3ce929d0e0e4736"],
  replay_id: null,
  bytes: 512,
  content_encoding: null,
  source: null,
  items: [{ type: "event", bytes: 480 }],
};

const render = (row: InboxRow) =>
  renderToStaticMarkup(
    <table>
      <tbody>
        <InboxEnvelopeRow row={row} />
      </tbody>
    </table>,
  );

Deno.test("envelope → its bytes can be downloaded, named by its event id or its own id", () => {
  const html = render(row);
  assert.match(html, /href="\/monitoring\/inbox\?id=17"/);
  assert.match(html, /download="9ec79c33\.envelope"/);
  assert.match(html, /aria-label="Download envelope 9ec79c33"/);
  assert.match(render({ ...row, event_id: null }), /aria-label="Download envelope 17"/);
});

Deno.test("ids → shortened, complete in the title; further traces are counted", () => {
  assert.match(render(row), /<code title="4bf92f3577b34da6a3ce929d0e0e4736">4bf92f35<\/code>/);
  assert.match(render({ ...row, trace_ids: ["a".repeat(32), "b".repeat(32)] }), /> \+1</);
  assert.match(render({ ...row, trace_ids: [] }), /class="trace">–</);
  assert.match(render({ ...row, replay_id: "c".repeat(32) }), /class="recording"><code[^>]*>c{8}</);
});
