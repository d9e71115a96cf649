import { parseDsn } from "../protocol/dsn.ts";
import { isOwnTelemetry } from "../protocol/own_telemetry.ts";
import { digest } from "./digest.ts";
import { at, attributeAt, listOf, pairsAt, textAt, tidyText, timeAt } from "./json.ts";
import type { ParsedEnvelope } from "./parsed_envelope.ts";
import { type Application, OWN_APPLICATION, UNKNOWN_NAME } from "./application_rows.ts";
import { isForDevices, type Side, sideOf } from "./side.ts";

/** The application of one envelope, the release that sent it, and how its name is known. */
export interface EnvelopeApplication extends Application {
  readonly release: string | null;
  /** Such as `sentry.javascript.node`; null: not sent. */
  readonly sdk: string | null;
  /** When the server's process started, by its own clock, milliseconds since 1970; null: not sent. */
  readonly processStart: number | null;
  /** Public key of the DSN; null: not known. */
  readonly dsnKey: string | null;
  /**
   * Where the name comes from. `service`: a service or application name. `release`: the package of the release. `sdk`:
   * the SDK. `other release` and `none`: the envelope has only items such as check-ins or profiles, which another
   * application with the same SDK may have sent; with and without the package of a release.
   */
  readonly namedBy: "service" | "release" | "sdk" | "other release" | "none";
}

/** Characters. Sentry allows 64 for an environment, 200 for a release. */
const MAX_NAME = 100;
const MAX_ENVIRONMENT = 64;
const MAX_RELEASE = 200;
/** Sentry's have 32. */
const MAX_DSN_KEY = 64;
/** Entries of a container that are searched. All entries of one envelope are from one application. */
const MAX_ENTRIES = 5;

/** Items that every application sends. An envelope with only other items is assigned to a matching application. */
const MAIN_TYPES: ReadonlySet<string> = new Set(
  ["event", "transaction", "span", "log", "feedback", "raw_security"]
    .concat(["replay_event", "replay_recording", "replay_video"]),
);

/** The name of a resource without one. https://opentelemetry.io/docs/specs/semconv/resource/#service */
const UNKNOWN_SERVICE = "unknown_service";

/**
 * Finds out which application sent an envelope. OpenTelemetry's SDKs write the facts into the resource, Sentry's into
 * different places: events, sessions, and attributes of spans and logs. The header's `trace` is not one of them: it has
 * the release and environment of the application that began the trace
 * (https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/).
 *
 * @param isOwn whether Sightglass sent it
 * @param dsnKey public key that the request named. Default: that of the header's DSN
 */
export function readApplication(
  { header, items, resource }: ParsedEnvelope,
  isOwn = isOwnTelemetry(header),
  dsnKey: string | null = parseDsn(at(header, "dsn"))?.publicKey ?? null,
): EnvelopeApplication {
  // A client report names nothing, not even by leaving out a default.
  const payloads = items.flatMap(({ type, json }) =>
    json === undefined || type === "client_report" ? [] : [json]
  );
  const carriers = [
    ...payloads,
    // Of a session.
    ...payloads.map((payload) => at(payload, "attrs")),
    // Of a single span.
    ...payloads.map((payload) => at(payload, "data")),
  ];
  const attributes = payloads.flatMap((payload) => {
    const entries = listOf(at(payload, "items")).slice(0, MAX_ENTRIES);
    return (entries.length > 0 ? entries : [payload])
      .map((entry) => at(entry, "attributes") ?? at(entry, "data"));
  });
  const attribute = (name: string) =>
    firstFound(attributes, (one) => textAt(attributeAt(one, name)));

  const fact = (...names: readonly string[]) => firstFound(names, (name) => textAt(resource, name));

  const release = tidy(
    fact("service.version") ?? firstFound(carriers, (one) => textAt(one, "release")) ??
      attribute("sentry.release"),
    MAX_RELEASE,
  );
  const sdk = tidy(
    textAt(header, "sdk", "name") ?? firstFound(payloads, (one) => textAt(one, "sdk", "name")) ??
      attribute("sentry.sdk.name"),
    MAX_NAME,
  );
  const side = sideOfSender(sdk, payloads, attribute);
  const start = timeAt(
    fact("process.creation.time") ??
      firstFound(payloads, (one) => textAt(one, "contexts", "app", "app_start_time")) ??
      attribute("app.start_time"),
  );
  // Of apps on many devices no start is the application's.
  const processStart = side === "server" && start !== null ? Math.round(start) : null;
  const common = { release, sdk, processStart, dsnKey: tidy(dsnKey, MAX_DSN_KEY) };
  if (isOwn) return { ...OWN_APPLICATION, ...common, namedBy: "service" };
  const environment = fact("deployment.environment.name", "deployment.environment") ??
    firstFound(carriers, (one) => textAt(one, "environment")) ??
    attribute("sentry.environment") ??
    // SDKs send their default in events, and omit it in logs.
    (payloads.length > 0 ? "production" : null);
  const service = tidy(
    resource === undefined
      ? attribute("service.name") ?? firstFound(payloads, applicationOf)
      : fact("service.name") ?? UNKNOWN_SERVICE,
    MAX_NAME,
  );
  const name = service ?? tidy(packageOf(release), MAX_NAME) ?? sdk ?? UNKNOWN_NAME;
  const application = { name, environment: tidy(environment, MAX_ENVIRONMENT), side };
  return {
    key: digest([name, application.environment ?? "", side]),
    ...application,
    ...common,
    namedBy: service !== null
      ? "service"
      : items.some(({ type }) => MAIN_TYPES.has(type))
      ? packageOf(release) !== null ? "release" : "sdk"
      : packageOf(release) !== null
      ? "other release"
      : "none",
  };
}

/** The name that an event has for its service or application. */
function applicationOf(event: unknown): string | null {
  const tag = pairsAt(event, "tags").find(([name]) => name === "service.name")?.[1];
  if (typeof tag === "string" && tag.trim() !== "") return tag;
  const resource = at(event, "contexts", "otel", "resource");
  const service = textAt(resource, "service.name");
  // Defaults of Sentry's and OpenTelemetry's SDKs, which name the runtime.
  const isDefault = at(resource, "service.namespace") === "sentry" ||
    service?.startsWith("unknown_service");
  return (isDefault ? null : service) ?? textAt(event, "contexts", "app", "app_name");
}

/** The package of a release such as `shop@1.4.0` (https://docs.sentry.io/product/releases/naming-releases/). */
function packageOf(release: string | null): string | null {
  return /^(.+)@[^@]+$/.exec(release ?? "")?.[1] ?? null;
}

/** Platforms of events that are neither of a browser nor of a server. */
const OTHER_PLATFORMS: ReadonlySet<string> = new Set(["cocoa", "dart", "native", "objc", "other"]);

function sideOfSender(
  sdk: string | null,
  payloads: readonly unknown[],
  attribute: (name: string) => string | null,
): Side {
  const side = sideOf(sdk, null);
  if (side !== "unknown" || isForDevices(sdk)) return side;
  // No SDK, or one for both sides: events name the platform, logs the browser or the server.
  const platform = firstFound(payloads, (one) => textAt(one, "platform"));
  if (platform === "javascript") return "browser";
  if (platform !== null) return OTHER_PLATFORMS.has(platform) ? "unknown" : "server";
  if (attribute("browser.name") !== null) return "browser";
  if (attribute("server.address") !== null) return "server";
  // Browser SDKs send interactions and some web vitals as single spans that do not name the SDK.
  if (attribute("sentry.origin")?.startsWith("auto.http.browser.")) return "browser";
  return sdk === null ? "unknown" : sideOf(sdk, attribute("sentry.op"));
}

function firstFound<T>(values: readonly T[], read: (value: T) => string | null): string | null {
  for (const value of values) {
    const found = read(value);
    if (found !== null) return found;
  }
  return null;
}

/** Bounded and in one line, without invisible characters: names that look alike would be two applications. */
function tidy(text: string | null, max: number): string | null {
  const visible = tidyText(text, max)?.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  return visible?.replace(/\s+/g, " ").trim() || null;
}
