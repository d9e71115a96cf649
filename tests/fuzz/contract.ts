/**
 * The outcomes that the contract allows for a request. A reference implementation: slow, on the complete body, and
 * without code of the relay.
 */
import * as zlib from "node:zlib";
import {
  headerByReference,
  readByReference,
} from "../../monitoring/protocol/testdata/reference_reader.ts";
import { DSN } from "../relay/_start_relay.ts";
import { type HostileRequest, MAX_BYTES, MAX_DECODED_BYTES } from "./hostile_request.ts";

/** How a request may end: `taken`, `empty` (200 `{}`), or the status and code of an error. */
export type Outcome = "taken" | "empty" | `${number} ${string}`;

const MALFORMED = "400 envelope_malformed";
const TOO_LARGE = "413 envelope_too_large";
const DSN_OUTCOMES = ["403 dsn_missing", "403 dsn_not_allowed"] as const;

/** Every outcome that the contract allows: only one, unless several problems are found in an unspecified order. */
export function allowedOutcomes(request: HostileRequest): readonly Outcome[] {
  const { headers, body, isChunked, content, query } = request;
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined || (site !== undefined && site !== "same-origin")) {
    return ["403 origin_not_allowed"];
  }
  const encoding = headers["content-encoding"]?.toLowerCase();
  if (encoding !== undefined && !["gzip", "deflate", "br", "zstd"].includes(encoding)) {
    return ["415 encoding_not_supported"];
  }
  const isTooLong = body.length > MAX_BYTES;
  if (isTooLong && !isChunked) return [TOO_LARGE];

  const plain = content === "unknown" ? decodeSlowly(body, encoding) : content;
  // What is before the corrupt data may be refused first.
  const earlierRefusals: readonly Outcome[] = [MALFORMED, TOO_LARGE, ...DSN_OUTCOMES];
  if (plain === "broken") return earlierRefusals;
  const outcome = outcomeOf(plain, query);
  // Decompressors differ in what corrupt data they accept.
  if (content === "unknown") return [outcome, ...earlierRefusals];
  if (isTooLong || (encoding !== undefined && plain.length > MAX_DECODED_BYTES)) {
    // An error before the limit may be found first. Nothing over the limit is taken.
    return outcome === "taken" || outcome === "empty" ? [TOO_LARGE] : [TOO_LARGE, outcome];
  }
  return [outcome];
}

/** Checks the decompressed body in the contract's order: header line, items, DSN, framing. */
function outcomeOf(plain: Uint8Array, query: string): Outcome {
  const bytes = [...plain];
  const found = headerByReference(bytes);
  if (found === undefined) return MALFORMED;
  if (found.isEmpty) return "empty";
  const refusal = dsnRefusal(found.header.dsn, new URLSearchParams(query));
  if (refusal !== undefined) return refusal;
  return readByReference(bytes) === undefined ? MALFORMED : "taken";
}

function dsnRefusal(dsn: unknown, query: URLSearchParams): Outcome | undefined {
  const hasQuery = ["o", "p", "r"].some((name) => query.has(name));
  const isRightQuery = ["o=1", "p=42", "r=us"].every((pair) => {
    const [name = "", value] = pair.split("=");
    return query.getAll(name).join("|") === value;
  });
  if (hasQuery && !isRightQuery) return "403 dsn_not_allowed";
  if (dsn === undefined || dsn === null) return hasQuery ? undefined : "403 dsn_missing";
  return isAllowed(dsn) ? undefined : "403 dsn_not_allowed";
}

/** Whether this is the DSN of these runs, with protocol and host in any case. */
function isAllowed(dsn: unknown): boolean {
  if (typeof dsn !== "string") return false;
  const parts = /^([a-zA-Z]+):\/\/([^@]*)@([a-zA-Z0-9.]+)\/(.*)$/s.exec(dsn);
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
      // Not this format.
    }
  }
  return "broken";
}

/** Equal for duplicates only: the header without `sent_at`, and all bytes after it. */
export function duplicateKey(plain: Uint8Array): string {
  const header = headerByReference([...plain])?.header ?? {};
  const rest = Object.entries(header).filter(([name]) => name !== "sent_at")
    .sort(([a], [b]) => a < b ? -1 : 1);
  const items = new TextDecoder("latin1").decode(plain.subarray(plain.indexOf(10) + 1));
  return `${JSON.stringify(rest)}\n${items}`;
}
