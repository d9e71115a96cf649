import { indexEnvelope } from "../../models/index/index_entries.ts";
import { createMemoryIndex } from "../../models/index/memory_index.ts";
import { parseEnvelope } from "../../models/parsed_envelope.ts";
import type { IndexUnderTest } from "./index_suite.ts";

export function memoryIndexUnderTest(maxEnvelopes?: number): IndexUnderTest {
  const index = createMemoryIndex({ maxEnvelopes });
  let id = 0;
  return {
    list: index.list,
    envelopes: index.envelopes,
    sources: index.sources,
    clear: index.clear,
    remove: () => {},
    add(bytes, receivedAt) {
      const { description, entries } = indexEnvelope(parseEnvelope(bytes), receivedAt);
      const row = {
        id: ++id,
        received_at: receivedAt,
        bytes: bytes.byteLength,
        content_encoding: null,
        source: entries.source.key,
        ...description,
      };
      index.add(id, receivedAt, entries, row);
      return Promise.resolve();
    },
  };
}
