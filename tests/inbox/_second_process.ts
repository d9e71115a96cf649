/**
 * Another server on the same file: stores and lists until its envelopes are in.
 *
 * Arguments: the file, how many envelopes to store.
 */
import { openInbox } from "../../monitoring/inbox/store.ts";
import { admitted, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";

const [path = "", count = "0"] = Deno.args;
const inbox = openInbox({ path, maxBytes: 1024 * 1024 });
for (let n = 0; n < Number(count); n++) {
  await inbox.store(admitted(eventEnvelope(n)));
  inbox.list({ since: n, limit: 10 });
}
inbox.close();
console.log("done");
