import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { Reports } from "../../monitoring/models/application_rows.ts";
import { linkTo } from "../data/fragment.ts";
import { Definition } from "../kit/Definition.tsx";

/** Reasons for which data is lost unintended, what they mean and what to do. https://develop.sentry.dev/sdk/telemetry/client-reports/ */
const LOST: ReadonlyMap<string, string> = new Map(Object.entries({
  backpressure: "its process was overloaded, so it sampled less. Give it more CPU time",
  buffer_overflow: "its buffer was full. Make fewer, or flush more often",
  cache_overflow: "its cache of unsent envelopes was full. Raise the cache's size",
  internal_sdk_error: "it failed. Set its option debug to see why, or update it",
  invalid: "they were not valid. Set its option debug to see why",
  network_error:
    "no answer came. See the host in its DSN, and that the server ran; of a page that was left first it may have arrived",
  queue_overflow: "its queue was full. Make fewer at once, or raise the transport's buffer size",
  ratelimit_backoff: "the server had limited the rate. Raise the quota, or send less",
  send_error: "the server refused them. Connect an application shows why",
  too_big: "they were too large. Attach less to each",
}));

/** Reasons for which data is left out as intended. */
const INTENDED: ReadonlyMap<string, string> = new Map(Object.entries({
  before_send: "as its developer’s beforeSend, or a function like it, decided",
  event_processor: "by a filter of its developer, or of its own, such as of the same error again",
  ignored: "by a filter of its developer",
  no_parent_span:
    "by its own rule for spans that need a parent: such as a request of a page after its load or navigation had ended",
  sample_rate: "by the sample rate that its developer set",
}));

/** Categories that have another name. */
const NAMES = new Map([["log_item", "log"], ["monitor", "check-in"], ["trace_metric", "metric"], [
  "unknown",
  "event",
]]);

/** What SDKs report that they gave up before sending. @param props.rows a `key` that `labels` lacks: of no application */
export function NotSent({ rows, labels }: {
  rows: readonly (Pick<Reports, "discarded"> & { readonly key: string })[];
  labels: ReadonlyMap<string, string>;
}) {
  const all = rows.flatMap(({ key, discarded }) => discarded.map((one) => ({ key, ...one })))
    // Bytes of what another category counts.
    .filter(({ category, reason, key }, _, rows) =>
      !rows.some((other) =>
        category === other.category.replace(/_item$/, "_byte") && category !== other.category &&
        reason === other.reason && key === other.key
      )
    );
  const byReason = Map.groupBy(all, ({ key, reason }) => `${key} ${reason}`);
  return all.length > 0 && (
    <p className="facts small others">
      {[...byReason].map(([name, counts]) => {
        const { key, reason } = counts[0]!;
        const lost = LOST.get(reason);
        const what = counts.map(({ category, quantity }) =>
          formatCount(quantity, NAMES.get(category) ?? category.replaceAll("_", " "))
        ).join(", ");
        return (
          <span key={name} className={lost ? "waits" : "quiet"}>
            {lost && <OutcomeMark kind="waits" />}
            <a href={linkTo("envelopes", [], { application: key, type: "client_report" })}>
              {labels.get(key) ?? "Unnamed senders"}
            </a>{" "}
            gave up {what}:{" "}
            <Definition
              text={`Of all releases in the chosen time, as the SDK reports: ${
                lost ?? INTENDED.get(reason) ?? "by a rule of its developer, or of its own"
              }`}
            >
              {reason}
            </Definition>
          </span>
        );
      })}
    </p>
  );
}
