import { at, textAt } from "../json.ts";

/** The payload of a `raw_security` item with the facts that are in its header, by names of Sentry's Relay. */
export const withItemFacts = (payload: unknown, header: unknown): unknown => ({
  ...typeof payload === "object" && payload,
  release: at(header, "sentry_release"),
  environment: at(header, "sentry_environment"),
});

/**
 * A violation of a page's content security policy, as an error event. Undefined if a `raw_security` item has none.
 *
 * @param payload `{"csp-report": {…}}` of {@linkcode withItemFacts}, untrusted
 * @param header of its envelope, which has the id and time that the payload lacks
 */
export function eventOfViolation(payload: unknown, header: unknown): object | undefined {
  const report = at(payload, "csp-report");
  const [directive = ""] = (textAt(report, "effective-directive") ??
    textAt(report, "violated-directive") ?? "").split(" ");
  if (directive === "") return undefined;
  const blocked = textAt(report, "blocked-uri") ?? "unknown";
  const origin = URL.parse(blocked)?.origin;
  // Of a keyword such as `inline` there is no origin; it is opaque for `data:` and the like.
  const host = origin === undefined || origin === "null" ? blocked : origin;
  const file = textAt(report, "source-file");
  const [lineno, colno] = [at(report, "line-number"), at(report, "column-number")];
  const frame = { filename: file, lineno, colno, in_app: true };
  const isEnforced = textAt(report, "disposition") !== "report";
  return {
    event_id: at(header, "event_id"),
    timestamp: at(header, "sent_at"),
    platform: "javascript",
    release: at(payload, "release"),
    environment: at(payload, "environment"),
    level: isEnforced ? "error" : "warning",
    request: { url: textAt(report, "document-uri") },
    exception: {
      values: [{
        type: isEnforced ? "Blocked by the page's policy" : "Against the page's policy",
        value: `${directive} ${host}`,
        mechanism: { type: "csp" },
        ...file !== null && { stacktrace: { frames: [frame] } },
      }],
    },
    fingerprint: ["csp", directive, host],
    tags: report,
  };
}
