import { describeEnvelope } from "../../models/describe.ts";
import { entriesOf } from "../../models/entries/entries.ts";
import { createMemoryIndex } from "../../models/entries/memory_index.ts";
import { parseEnvelope } from "../../models/parsed_envelope.ts";
import type { IndexUnderTest } from "./index_suite.ts";

export function memoryIndexUnderTest(maxEnvelopes?: number): IndexUnderTest {
  const index = createMemoryIndex({ maxEnvelopes });
  let id = 0;
  return {
    list: index.list,
    envelopes: index.envelopes,
    clear: index.clear,
    remove: () => {},
    add(bytes, receivedAt) {
      const parsed = parseEnvelope(bytes);
      const row = {
        id: ++id,
        received_at: receivedAt,
        bytes: bytes.byteLength,
        content_encoding: null,
        ...describeEnvelope(parsed),
      };
      index.add(id, receivedAt, entriesOf(parsed, receivedAt), row);
      return Promise.resolve();
    },
  };
}
