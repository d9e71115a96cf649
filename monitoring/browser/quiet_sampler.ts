import type { Attributes } from "@opentelemetry/api";
import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace-web";
import type { IsOwnRequest } from "./own_requests.ts";

/**
 * Makes no span for the console's own requests, also where one is made from a performance entry
 * (live rows arrive through an `EventSource`, which nothing else sees). The SDK's `ignoreSpans`
 * would do it too, but counts each in a client report: the silence would be reported.
 *
 * @param sampler decides about all other spans
 */
export function quietSampler(sampler: Sampler, isOwn: IsOwnRequest): Sampler {
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      if (isOwn(addressOf(attributes) ?? "")) return { decision: SamplingDecision.NOT_RECORD };
      return sampler.shouldSample(context, traceId, name, kind, attributes, links);
    },
    toString: () => `Quiet(${sampler})`,
  };
}

function addressOf(attributes: Attributes): string | undefined {
  const op = String(attributes["sentry.op"] ?? "");
  if (!op.startsWith("resource.") && op !== "http.client") return undefined;
  const address = attributes["url.full"] ?? attributes["http.url"] ?? attributes["url"];
  return typeof address === "string" ? address : undefined;
}
