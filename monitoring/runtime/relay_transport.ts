import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import { type BaseTransportOptions, createTransport, type Transport } from "@sentry/core";

/** Passes a request to the relay of this process. */
export type Deliver = (request: Request) => Promise<Response>;

interface RelayTransportOptions extends BaseTransportOptions {
  readonly deliver: Deliver;
}

/** Sentry's transport to the relay of the same process. */
export interface RelayTransport extends Transport {
  /** Number of envelopes that are being sent, or were lost since the start. */
  readonly undelivered: number;
}

/**
 * Sends each envelope once: while the ingest is down, the relay keeps it in its spool. What the relay does not take is
 * lost, and the SDK counts it for the next client report.
 */
export function createRelayTransport(options: RelayTransportOptions): RelayTransport {
  const { deliver, url, headers } = options;
  let undelivered = 0;

  const post = async (body: string | Uint8Array): Promise<Response> => {
    const response = await deliver(
      new Request(url, { method: "POST", headers, body: body as BodyInit }),
    );
    await response.body?.cancel();
    return response;
  };

  const transport = createTransport(options, async ({ body }) => {
    undelivered++;
    // Without a request's context: delivery is not part of its trace, and errors in it must not cause further envelopes.
    const response = await context.with(suppressTracing(ROOT_CONTEXT), () => post(body));
    // The SDK counts a loss if this throws. With 429 the ingest has counted it.
    if (!response.ok && response.status !== 429) {
      throw new Error(`The relay answered ${response.status}`);
    }
    undelivered--;
    return {
      statusCode: response.status,
      headers: {
        "x-sentry-rate-limits": response.headers.get("x-sentry-rate-limits"),
        "retry-after": response.headers.get("retry-after"),
      },
    };
  });
  return {
    ...transport,
    get undelivered() {
      return undelivered;
    },
  };
}
