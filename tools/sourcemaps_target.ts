/** Where source maps go, and by which right. */
export interface UploadTarget {
  /** Never printed. */
  readonly token: string;
  /** Short names, as they stand in Sentry's addresses. */
  readonly org: string;
  readonly project: string;
  /** Of a Sentry that is not sentry.io. */
  readonly url?: string;
}

/** The environment does not say where to upload. The message is one line, made to be printed. */
export class TargetError extends Error {
  override readonly name = "TargetError";
}

/** What each variable is for, as whoever lacks it needs to know. */
const REQUIRED = {
  SENTRY_AUTH_TOKEN:
    "the token that lets this machine upload: in Sentry under Settings, Auth Tokens",
  SENTRY_ORG: "the short name of the organization in Sentry",
  SENTRY_PROJECT: "the short name of the project that the page's errors go to",
} as const;

/**
 * Reads the variables of the upload. An empty one counts as not set.
 *
 * @throws {TargetError} naming each one that is missing, and what it is for
 */
export function readTarget(env: Readonly<Record<string, string | undefined>>): UploadTarget {
  const value = (name: string) => env[name]?.trim() || undefined;
  const missing = Object.entries(REQUIRED).filter(([name]) => value(name) === undefined);
  const token = value("SENTRY_AUTH_TOKEN");
  const org = value("SENTRY_ORG");
  const project = value("SENTRY_PROJECT");
  if (token === undefined || org === undefined || project === undefined) {
    const list = missing.map(([name, purpose]) => `${name} (${purpose})`).join(" and ");
    const are = missing.length > 1 ? "are" : "is";
    throw new TargetError(`Cannot upload source maps: ${list} ${are} not set.`);
  }
  const url = value("SENTRY_URL");
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new TargetError(
      `Cannot upload source maps: SENTRY_URL is ${JSON.stringify(url)}, ` +
        "allowed is an address such as https://sentry.example.com/.",
    );
  }
  return { token, org, project, ...(url !== undefined && { url }) };
}
