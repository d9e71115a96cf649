import { decodeOtlp, OtlpError } from "../models/otlp/decode.ts";
import { readOtlp } from "../models/otlp/otlp_telemetry.ts";
import type { Dsn } from "../protocol/dsn.ts";
import { type OtlpFormat, signalOf } from "../protocol/format.ts";
import { DuplicateKey } from "../relay/admit/duplicate_key.ts";
import { type AdmittedBody, WholeBody } from "../relay/admit/incoming_body.ts";
import { RelayError } from "../relay/errors.ts";

/** Items of an envelope with such records: Sentry counts and limits both alike. */
const ITEM_TYPES = { traces: "span", logs: "log", metrics: "trace_metric" } as const;

/** An OTLP request. It is read before it is taken, to answer which records are rejected, and why. */
export function openOtlp(format: OtlpFormat, dsn: Dsn, hold: (bytes: number) => void) {
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
