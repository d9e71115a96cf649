/**
 * What the contract lets the relay answer to a request, worked out slowly from the whole of it. It shares no code
 * with the relay.
 */
import * as zlib from "node:zlib";
import {
  headerByReference,
  readByReference,
} from "../../monitoring/protocol/testdata/reference_reader.ts";
import { DSN } from "../relay/_start_relay.ts";
import { type HostileRequest, MAX_BYTES, MAX_DECODED_BYTES } from "./hostile_request.ts";

/** One way in which a request may end: `taken`, `empty` (200 `{}`), or the status and code of an error. */
export type Ending = "taken" | "empty" | `${number} ${string}`;

const MALFORMED = "400 envelope_malformed";
const TOO_LARGE = "413 envelope_too_large";
const DSN_ENDINGS = ["403 dsn_missing", "403 dsn_not_allowed"] as const;

/** Every ending that the contract allows. Where the order of bytes and limits leaves one, it is one. */
export function allowedEndings(request: HostileRequest): readonly Ending[] {
  const { headers, body, chunked, content, query } = request;
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined || (site !== undefined && site !== "same-origin")) {
    return ["403 origin_not_allowed"];
  }
  const encoding = headers["content-encoding"]?.toLowerCase();
  if (encoding !== undefined && !["gzip", "deflate", "br", "zstd"].includes(encoding)) {
    return ["415 encoding_not_supported"];
  }
  const tooLong = body.length > MAX_BYTES;
  if (tooLong && !chunked) return [TOO_LARGE];

  const plain = content === "unknown" ? decodeSlowly(body, encoding) : content;
  // What came out before the data turned out broken may have been refused already.
  const earlier: readonly Ending[] = [MALFORMED, TOO_LARGE, ...DSN_ENDINGS];
  if (plain === "broken") return earlier;
  const ending = endingOf(plain, query);
  // Data that somebody changed: one decompressor forgives what another does not.
  if (content === "unknown") return [ending, ...earlier];
  if (tooLong || (encoding !== undefined && plain.length > MAX_DECODED_BYTES)) {
    // A fault before the limit may come first; nothing over it is ever taken.
    return ending === "taken" || ending === "empty" ? [TOO_LARGE] : [TOO_LARGE, ending];
  }
  return [ending];
}

/** What the decompressed body says, in the contract's order: header line, emptiness, DSN, framing. */
function endingOf(plain: Uint8Array, query: string): Ending {
  const bytes = [...plain];
  const found = headerByReference(bytes);
  if (found === undefined) return MALFORMED;
  if (found.isEmpty) return "empty";
  const refusal = dsnRefusal(found.header.dsn, new URLSearchParams(query));
  if (refusal !== undefined) return refusal;
  return readByReference(bytes) === undefined ? MALFORMED : "taken";
}

function dsnRefusal(named: unknown, query: URLSearchParams): Ending | undefined {
  const asks = ["o", "p", "r"].some((name) => query.has(name));
  const asksRightly = ["o=1", "p=42", "r=us"].every((pair) => {
    const [name = "", value] = pair.split("=");
    return query.getAll(name).join("|") === value;
  });
  if (asks && !asksRightly) return "403 dsn_not_allowed";
  if (named === undefined || named === null) return asks ? undefined : "403 dsn_missing";
  return isAllowed(named) ? undefined : "403 dsn_not_allowed";
}

/** The one DSN of these runs, its protocol and host in any case of ASCII letters. */
function isAllowed(named: unknown): boolean {
  if (typeof named !== "string") return false;
  const parts = /^([a-zA-Z]+):\/\/([^@]*)@([a-zA-Z0-9.]+)\/(.*)$/s.exec(named);
  if (parts === null) return false;
  const [, protocol = "", key, host = "", project] = parts;
  return `${protocol.toLowerCase()}://${key}@${host.toLowerCase()}/${project}` === DSN;
}

/** Decompresses in one go, with the runtime's own functions. */
function decodeSlowly(body: Uint8Array, encoding: string | undefined): Uint8Array | "broken" {
  const attempts: readonly ((bytes: Uint8Array) => Uint8Array)[] = {
    gzip: [zlib.gunzipSync],
    deflate: [zlib.inflateSync, zlib.inflateRawSync],
    br: [zlib.brotliDecompressSync],
    zstd: [zlib.zstdDecompressSync],
  }[encoding ?? ""] ?? [(bytes) => bytes];
  for (const attempt of attempts) {
    try {
      return new Uint8Array(attempt(body));
    } catch {
      // Not this format: the next, or none.
    }
  }
  return "broken";
}

/** By what the contract knows an envelope again: its header without `sent_at`, and all that follows it. */
export function sameness(plain: Uint8Array): string {
  const header = headerByReference([...plain])?.header ?? {};
  const rest = Object.entries(header).filter(([name]) => name !== "sent_at")
    .sort(([a], [b]) => a < b ? -1 : 1);
  const items = new TextDecoder("latin1").decode(plain.subarray(plain.indexOf(10) + 1));
  return `${JSON.stringify(rest)}\n${items}`;
}
