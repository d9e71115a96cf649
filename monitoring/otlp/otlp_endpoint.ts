import { decodeOtlp, OtlpError } from "../models/otlp/decode.ts";
import { readOtlp } from "../models/otlp/otlp_telemetry.ts";
import type { Dsn } from "../protocol/dsn.ts";
import type { ErrorFacts } from "../protocol/error_answer.ts";
import { type OtlpFormat, type Signal, signalOf } from "../protocol/format.ts";
import { DuplicateKey } from "../relay/admit/duplicate_key.ts";
import { type AdmittedBody, WholeBody } from "../relay/admit/incoming_body.ts";
import type { Answer } from "../relay/answer.ts";
import { RelayError } from "../relay/errors.ts";
import type { Relay } from "../relay/relay.ts";
import { exportAnswer, mediaTypeProblem, otlpEncoding, statusAnswer } from "./answers.ts";

/** Items of an envelope with such records: Sentry counts and limits both alike. */
const ITEM_TYPES = { traces: "span", logs: "log", metrics: "trace_metric" } as const;
/** Seconds. Exporters send again after 429 and 503 only, and wait for 5 s by default. */
const RETRY_AFTER = "5";
const METRICS_NOT_TAKEN: ErrorFacts = {
  status: 501,
  error: "metrics_not_supported",
  detail:
    "Sentry takes no metrics by OTLP. OTEL_METRICS_EXPORTER=none (Deno: OTEL_DENO_METRICS=false)" +
    " stops sending them.",
};

/** Creates the addresses of OTLP/HTTP: requests are admitted and delivered like envelopes. */
export function createOtlpEndpoint(relay: Relay) {
  /** Answers a POST. @param project of `/api/PROJECT/…`. Default: `/v1/…`, where the key names the DSN */
  return async (
    request: Request,
    peer: string | undefined,
    signal: Signal,
    project?: string,
  ): Promise<Answer> => {
    const contentType = request.headers.get("content-type");
    const encoding = otlpEncoding(contentType);
    let incoming: ReturnType<typeof openOtlp> | undefined;
    const answer = signal === "metrics" && relay.mode === "relay"
      ? relay.refuse(request, peer, METRICS_NOT_TAKEN)
      : await relay.answer(request, peer, project, (matchDsn, hold) => {
        if (encoding === undefined) {
          throw new RelayError("encoding_not_supported", mediaTypeProblem(contentType));
        }
        const dsn = matchDsn();
        return incoming = openOtlp(`otlp-${signal}-${encoding}`, dsn, hold);
      });
    const { status, headers } = answer;
    if (status >= 300 || encoding === undefined) {
      const message = headers["x-sentry-error"] ?? `The ingest refused the request with ${status}.`;
      const retry = status === 503 && { "retry-after": RETRY_AFTER };
      return withHeaders(statusAnswer(status, message, encoding), { ...headers, ...retry });
    }
    const { rejected = 0, message } = incoming ?? {};
    if (message) relay.listRefusal(request, { code: "records_rejected", detail: message });
    const lost = relay.mode === "relay" ? incoming?.eventExceptions : 0;
    const notShown = lost && `Sentry does not show the events of spans: ${exceptions(lost)} lost.`;
    const all = [message, notShown].filter(Boolean).join(" ");
    const partial = all === "" ? undefined : { rejected, message: all };
    return withHeaders(exportAnswer(signal, encoding, partial), headers);
  };
}

/** An OTLP request. It is read before it is taken, to answer which records are rejected, and why. */
function openOtlp(format: OtlpFormat, dsn: Dsn, hold: (bytes: number) => void) {
  const body = new WholeBody(hold);
  return {
    // These three are known at the end of the body.
    rejected: 0,
    message: null as string | null,
    /** Exceptions that are events of spans. */
    eventExceptions: 0,

    push: (chunk: Uint8Array) => body.push(chunk),

    end(): AdmittedBody | undefined {
      const bytes = body.end();
      const signal = signalOf(format);
      const { resources, sent, rejected, message } = readOtlp(decode(bytes, format), signal);
      Object.assign(this, { rejected, message });
      if (sent === rejected) return undefined;
      if (signal === "traces") {
        const items = resources.flatMap(({ items }) => items);
        this.eventExceptions = items.filter(({ type }) => type === "event").length;
      }
      const key = new DuplicateKey({ hasHeader: false });
      key.push(bytes);
      return {
        format,
        parsed: resources,
        header: {},
        items: [{ type: ITEM_TYPES[signal], bytes: bytes.length, count: sent - rejected }],
        // Sentry drops the events of spans.
        notForwarded: [{ type: "event", bytes: 0, count: this.eventExceptions }],
        dsn,
        key: key.finish(dsn.text, { format }),
      };
    },
  };
}

function decode(bytes: Uint8Array, format: OtlpFormat): object {
  try {
    return decodeOtlp(bytes, format);
  } catch (error) {
    if (!(error instanceof OtlpError)) throw error;
    throw new RelayError(`envelope_${error.code}`, error.message);
  }
}

/** Refuses a gRPC call, whose address is its service: the client prints the text. Undefined: the request is none. */
export function refuseGrpc(
  relay: Pick<Relay, "refuse">,
  request: Request,
  peer: string | undefined,
): Answer | undefined {
  const contentType = request.headers.get("content-type");
  if (!contentType?.startsWith("application/grpc")) return undefined;
  const detail = mediaTypeProblem(contentType);
  relay.refuse(request, peer, { status: 415, error: "encoding_not_supported", detail });
  // UNIMPLEMENTED. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses
  const headers = { "content-type": "application/grpc", "grpc-status": "12" };
  return { status: 200, headers: { ...headers, "grpc-message": detail }, body: "" };
}

const exceptions = (count: number) => count === 1 ? "1 exception is" : `${count} exceptions are`;

function withHeaders(answer: Answer, headers: Answer["headers"]) {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
