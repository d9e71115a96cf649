import assert from "node:assert/strict";
import { Inbox } from "../inbox.ts";
import { profileChunk } from "../testdata/index_profiles.ts";
import { admitted, envelopeOf, hexId } from "../testdata/envelopes.ts";
import { NOON } from "../testdata/tested_index.ts";
import { readProfileContent } from "./profile_content.ts";

const ID = "00000000-0000-8000-8000-00000000000a";
const FILE = "http://page/a.js";
/** The script's first character is the first line of a library, its second one the second line of the application. */
const MAP = JSON.stringify({
  version: 3,
  sources: ["../node_modules/lib/x.js", "../shop/a.ts"],
  sourcesContent: ["one", "one\ntwo"],
  names: [],
  mappings: "AAAA,CCCA",
});

Deno.test("functions of a built script → those of its source, own or of a library", async () => {
  const sourceMap = (id: string) =>
    Promise.resolve(id === ID ? new TextEncoder().encode(MAP) : undefined);
  const inbox = new Inbox({ maxBytes: 1e6, sourceMap });
  using _closed = { [Symbol.dispose]: () => inbox.close() };
  const [type, sent] = profileChunk(1, 2, -30, ["a", "b"]);
  const chunk = sent as { profile: { frames: object[] } };
  const frames = [1, 2].map((colno) => ({ function: "a", abs_path: FILE, lineno: 1, colno }));
  const payload = {
    ...{ ...chunk, platform: "javascript" },
    profile: { ...chunk.profile, frames: [...frames, { function: "handler" }] },
    debug_meta: { images: [{ type: "sourcemap", code_file: FILE, debug_id: ID }] },
  };
  await inbox.store(admitted(envelopeOf({}, [type, payload]), NOON));
  const content = await readProfileContent(inbox, { id: hexId(1) });
  assert.deepEqual(
    content?.frames.map(({ file, line, own }) => [file, line, own]),
    [[null, null, false], ["node_modules/lib/x.js", 1, false], ["shop/a.ts", 2, true]],
  );
});
