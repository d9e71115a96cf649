import { parseEnvelope } from "../models/parsed_envelope.ts";
import type { AdmittedEnvelope } from "../protocol/admitted_envelope.ts";
import { decodeBody, DecodeError } from "../protocol/encoding.ts";
import { readBody } from "../protocol/read_body.ts";
import { contentTypeOf, signalOf } from "../protocol/format.ts";
import { postJson, type PostOptions } from "../post_json.ts";
import { OTLP_ITEM_TYPES, type OtlpContent, otlpContent } from "./otlp_json.ts";

type ExportedEnvelope = Pick<
  AdmittedEnvelope,
  "items" | "bytes" | "format" | "contentEncoding" | "receivedAt"
>;

interface OtlpExporterOptions {
  /** Of the collector, without a slash at its end: `/v1/traces` and `/v1/logs` are appended. */
  readonly url: string;
  /** Sent with each request. May contain secrets: never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the first failure after a success, for the log. */
  readonly onFailure: (reason: string) => void;
}

/** Bytes of the envelopes that wait. Beyond it spans and logs are dropped and counted. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Decompressed, of one envelope: twice of what is parsed. */
const MAX_DECODED_BYTES = 8 * 1024 * 1024;
/** Envelopes of one request. A page sends some ten spans in each. */
const MAX_ENVELOPES = 50;
/** Bytes of the envelopes of one request: collectors refuse bodies of more than some MiB. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Five attempts in half a minute. */
const BACKOFF_MS = [1_000, 2_000, 5_000, 20_000];
const MAX_RETRY_AFTER_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Where each kind of records is sent, and the names around it in the body. */
const SIGNALS = [
  { path: "/v1/traces", resources: "resourceSpans", scopes: "scopeSpans", records: "spans" },
  { path: "/v1/logs", resources: "resourceLogs", scopes: "scopeLogs", records: "logRecords" },
] as const;

type Signal = (typeof SIGNALS)[number];

/** Sends a copy of spans and logs to a collector by OTLP/HTTP with JSON, in the background: no call throws or waits. */
export class OtlpExporter {
  /** Spans and logs that the collector has accepted. */
  exported = 0;
  /** Spans and logs that were not exported. */
  dropped = 0;
  readonly #waiting: ExportedEnvelope[] = [];
  readonly #closing = new AbortController();
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(readonly options: OtlpExporterOptions) {}

  add(envelope: ExportedEnvelope): void {
    const { items, bytes, format, contentEncoding, receivedAt } = envelope;
    const entries = entriesOf(items);
    if (entries === 0) return;
    const isFull = this.#waitingBytes + bytes.byteLength > MAX_WAITING_BYTES;
    if (isFull || this.#closing.signal.aborted) {
      this.dropped += entries;
      return;
    }
    this.#waiting.push({ items, bytes, format, contentEncoding, receivedAt });
    this.#waitingBytes += bytes.byteLength;
    this.#running ??= this.#sendAll().finally(() => this.#running = undefined);
  }

  /** Sends what waits, for at most `ms` milliseconds, and drops the rest. */
  async close(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), ms);
    await this.#running;
    clearTimeout(timer);
    this.#closing.abort();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      const contents: OtlpContent[] = [];
      for (const { items, bytes, format = "envelope", contentEncoding, receivedAt } of batch) {
        const signal = signalOf(format);
        if (signal !== undefined) {
          // Sent as received, with fields that are not read here.
          const encoding = contentEncoding && { "Content-Encoding": contentEncoding };
          const sent = { contentType: contentTypeOf(format), headers: { ...encoding } };
          await this.#post(`/v1/${signal}`, bytes, entriesOf(items), sent);
          continue;
        }
        try {
          const decoded = await decodeBody(bytes, contentEncoding, MAX_DECODED_BYTES);
          contents.push(otlpContent(parseEnvelope(decoded), receivedAt));
        } catch (error) {
          // It was decompressed once to be admitted, so it is too large.
          if (!(error instanceof DecodeError)) throw error;
          this.dropped += entriesOf(items);
        }
      }
      for (const signal of SIGNALS) await this.#send(signal, contents);
    }
  }

  #nextBatch(): ExportedEnvelope[] {
    let bytes = 0;
    const tooMany = this.#waiting.findIndex((envelope, index) => {
      bytes += envelope.bytes.byteLength;
      return index > 0 && (index >= MAX_ENVELOPES || bytes > MAX_REQUEST_BYTES);
    });
    const batch = this.#waiting.splice(0, tooMany === -1 ? this.#waiting.length : tooMany);
    for (const envelope of batch) this.#waitingBytes -= envelope.bytes.byteLength;
    return batch;
  }

  async #send({ path, resources, scopes, records }: Signal, contents: readonly OtlpContent[]) {
    const sent = contents.filter((content) => content[records].length > 0);
    const count = sent.reduce((sum, content) => sum + content[records].length, 0);
    if (count === 0) return;
    const body = JSON.stringify({
      [resources]: sent.map(({ resource, [records]: list }) => ({
        resource,
        [scopes]: [{ scope: { name: "sightglass" }, [records]: list }],
      })),
    });
    await this.#post(path, body, count);
  }

  /** @param sent how the body is sent. Default: JSON */
  async #post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    count: number,
    { contentType, ...sent }: Pick<PostOptions<number>, "contentType" | "headers"> = {},
  ): Promise<void> {
    const { url, headers, onFailure } = this.options;
    const { signal } = this.#closing;
    const outcome = await postJson(url + path, body, {
      headers: { ...headers, ...sent.headers },
      contentType,
      timeoutMs: TIMEOUT_MS,
      backoffMs: BACKOFF_MS,
      maxRetryAfterMs: MAX_RETRY_AFTER_MS,
      mayRetry: (status) => RETRYABLE.has(status),
      read: rejectedOf,
      signal,
    });
    const lost = "failure" in outcome ? count : Math.min(outcome.result, count);
    this.dropped += lost;
    this.exported += count - lost;
    const failure = "failure" in outcome ? outcome.failure : `it rejected ${lost} of ${count}`;
    if (lost > 0 && !this.#isFailing && !signal.aborted) onFailure(failure);
    this.#isFailing = lost > 0;
  }
}

/** Spans and logs of an envelope, as its items announce them. */
function entriesOf(items: ExportedEnvelope["items"]): number {
  return items.reduce((sum, { type, count }) => OTLP_ITEM_TYPES.has(type) ? sum + count : sum, 0);
}

/** Records that the collector refused: https://opentelemetry.io/docs/specs/otlp/#partial-success-1 */
async function rejectedOf({ body }: Response): Promise<number> {
  try {
    const answer = body ? await readBody(body, MAX_ANSWER_BYTES) : new Uint8Array();
    const { partialSuccess } = JSON.parse(new TextDecoder().decode(answer)) ?? {};
    const { rejectedSpans, rejectedLogRecords } = partialSuccess ?? {};
    return Math.max(0, Number(rejectedSpans ?? rejectedLogRecords ?? 0)) || 0;
  } catch (error) {
    // Some collectors answer 200 with an empty body or text.
    if (error instanceof SyntaxError || error instanceof RangeError) return 0;
    throw error;
  }
}
