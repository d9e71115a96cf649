import { isBrowser, isPostOfOwnPage } from "../access/caller.ts";
import { refusal } from "../access/private_response.ts";
import {
  type WriteAccess,
  type WriteAccessOptions,
  writeAccessRule,
} from "../access/write_access.ts";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { createBodyReader } from "../relay/body_reader.ts";
import { DisconnectedError, RELAY_ERRORS, RelayError } from "../relay/errors.ts";
import type { Relay } from "../relay/relay.ts";
import { perMinute } from "../runtime/token_bucket.ts";
import { readReports, reportEnvelope, type ReportSender } from "./browser_report.ts";

interface SecurityEndpointOptions extends WriteAccessOptions {
  readonly sender: Required<ReportSender>;
  readonly relay: Pick<Relay, "answer" | "dsnOf" | "listRefusal" | "metrics">;
  /** Server processes that divide the limit of reports. Default: 1. */
  readonly processes?: number;
  /** Called with the number of reports left out since the last call, at most once a minute. */
  readonly onLeftOut: (count: number) => void;
  /** Milliseconds of a monotonic clock. Default: the process's own. */
  readonly uptime?: () => number;
}

/** Bytes of one body. Chromium sends about 1 KB for each report, at most 100 at once. */
const MAX_BYTES = 256 * 1024;
const MAX_IN_FLIGHT_BYTES = 4 * 1024 * 1024;

/** Different reports a minute. Anyone can send them, and each spends the project's quota. */
const REPORTS_PER_MINUTE = 20;
/** The same report is sent once in this time: every visitor of a page may cause it. */
const REPEAT_MS = 10 * 60_000;
/** Reports that are remembered for it: about as many as the rate lets pass. */
const MAX_REMEMBERED = 256;

/** Why reports are not taken. `over_rate`: more than {@linkcode REPORTS_PER_MINUTE}; answered with 204. */
const REASONS = Object.keys(RELAY_ERRORS).filter((code) => !code.startsWith("spool")).map(codeOf)
  .concat("over_rate");

/** Creates `POST /monitoring/security` and `/api/PROJECT/security/`: what browsers report by themselves. */
export function createSecurityEndpoint(options: SecurityEndpointOptions) {
  const { sender, relay, publicOrigin, uptime = () => performance.now() } = options;
  const writeAccess = writeAccessRule(options);
  const bodies = createBodyReader({ maxBytes: MAX_BYTES, maxInFlightBytes: MAX_IN_FLIGHT_BYTES });
  const takeReport = perMinute(REPORTS_PER_MINUTE / (options.processes ?? 1), uptime);
  const takeNotice = perMinute(1, uptime);
  const sentAt = new Map<string, number>();
  let leftOut = 0;
  // Zeros: the increase of a series that appears with its first refusal is 0.
  for (const reason of REASONS) relay.metrics.reportRefused(reason, 0);

  /** @throws the error itself if no request can cause it */
  const refuse = (request: Request, error: unknown): Response => {
    if (!(error instanceof RelayError)) throw error;
    const code = codeOf(error.code);
    const detail = code === "report_too_large"
      ? `Cannot take more than ${MAX_BYTES} bytes.`
      : error.detail;
    relay.metrics.reportRefused(code);
    if (!(error instanceof DisconnectedError)) relay.listRefusal(request, { code, detail });
    return refusal(RELAY_ERRORS[error.code], code, detail);
  };

  /** Whether a report that is to be sent is new, and within the rate. */
  const admit = (key: string): boolean => {
    const at = sentAt.get(key);
    if (at !== undefined && uptime() - at < REPEAT_MS) return false;
    if (!takeReport()) {
      leftOut++;
      relay.metrics.reportRefused("over_rate");
      if (takeNotice()) {
        options.onLeftOut(leftOut);
        leftOut = 0;
      }
      return false;
    }
    sentAt.delete(key);
    sentAt.set(key, uptime());
    if (sentAt.size > MAX_REMEMBERED) sentAt.delete([...sentAt.keys()][0]!);
    return true;
  };

  const takeReports = async (
    request: Request,
    peer: string | undefined,
    access: WriteAccess,
    project: string | undefined,
  ): Promise<Response> => {
    if (!access.allowed) throw new RelayError("origin_not_allowed", access.detail);
    const named = project === undefined ? undefined : relay.dsnOf(request, peer, project);
    if (named === undefined && !isBrowser(request.headers)) {
      const detail = "Cannot take the report: it has no Origin, so no browser sent it.";
      throw new RelayError("origin_not_allowed", detail);
    }
    const format = formatOf(request.headers);
    using account = bodies.open();
    const bytes = await bodies.read(request, null, account, () => {});
    // The relay believes this mark of a request in process.
    const isOwn = named === undefined && isPostOfOwnPage(request, publicOrigin);
    const headers = {
      "user-agent": request.headers.get("user-agent") ?? "",
      ...named?.key && { "x-sentry-auth": `Sentry sentry_key=${named.key}` },
    };
    const to = isOwn ? sender : { dsn: named?.dsn ?? sender.dsn };
    for (const report of readReports(format, bytes)) {
      const key = JSON.stringify([isOwn, named, { ...report, age: 0 }]);
      if (!admit(key)) continue;
      const body = reportEnvelope(report, to, Date.now());
      const internal = new Request(INTERNAL_RELAY_URL, { method: "POST", headers, body });
      const answer = await relay.answer(internal, undefined);
      if (answer.status < 500) continue;
      // Browsers send the reports again: Chromium up to five times.
      sentAt.delete(key);
      throw new RelayError("overloaded", "Cannot take the report now; send it again later.");
    }
    return new Response(null, { status: 204 });
  };

  return {
    /**
     * Takes reports. 204 also for those that are left out: browsers would send them again after another answer.
     *
     * @param project PROJECT of `/api/PROJECT/security/`, whose key is needed. Default: this server's, for browsers only
     */
    async receive(
      request: Request,
      peer: string | undefined,
      project?: string,
    ): Promise<Response> {
      const access = writeAccess.check(request, peer);
      const answer = await takeReports(request, peer, access, project)
        .catch((error) => refuse(request, error));
      if (!access.allowed) return answer;
      for (const [name, value] of Object.entries(access.cors)) answer.headers.set(name, value);
      return answer;
    },

    /** Ends slow uploads, because new connections wait for a free one. */
    shedLoad: () => bodies.shedLoad(),
  };
}

function codeOf(relayCode: string): string {
  return relayCode.replace("envelope", "report");
}

function formatOf(headers: Headers): Parameters<typeof readReports>[0] {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/csp-report") return "csp-report";
  if (type === "application/reports+json") return "reports+json";
  throw new RelayError(
    "encoding_not_supported",
    "Cannot take the report: send application/csp-report or application/reports+json.",
  );
}
