/**
 * A second process on the same file: stores envelopes and lists them.
 *
 * Arguments: the file; the number of envelopes to store, or `watch`: waits until another connection has stored
 * one, and exits without closing.
 */
import { Inbox } from "../../monitoring/inbox/inbox.ts";
import { admitted, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";

const [path = "", count = "0"] = Deno.args;
const inbox = new Inbox({ path, maxBytes: 1024 * 1024 });
if (count === "watch") {
  const unsubscribe = inbox.subscribe((change) => {
    if (change !== "stored" || inbox.list({ since: 0, limit: 1 }).envelopes.length === 0) return;
    unsubscribe();
    console.log("notified");
  });
  const other = new Inbox({ path, maxBytes: 1024 * 1024 });
  await other.store(admitted(eventEnvelope(1)));
  other.close();
} else {
  for (let n = 0; n < Number(count); n++) {
    await inbox.store(admitted(eventEnvelope(n)));
    inbox.list({ since: n, limit: 10 });
  }
  inbox.close();
  console.log("done");
}
