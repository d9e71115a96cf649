import { isLoopbackHost, withoutBrackets } from "../protocol/loopback.ts";

/** Where a PostgreSQL is, and how its connections are secured. Parsed from `DATABASE_URL`. */
export interface PostgresAddress {
  /** IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /**
   * - `full`: TLS, certificate and its name verified.
   * - `ca`: TLS, certificate verified, of any name.
   * - `unverified`: TLS without protection against an attacker in between.
   * - `none`: plain text.
   */
  readonly tls: "full" | "ca" | "unverified" | "none";
  /** File of the certificate authority that is trusted instead of the system's. */
  readonly caFile?: string;
}

export const POSTGRES_URL_FORM =
  "postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters as %XX, if needed with" +
  " ?sslrootcert=FILE and sslmode=verify-full, verify-ca, require, no-verify or disable";

const DEFAULT_PORT = 5432;

/** TLS by `sslmode`. `prefer` and `allow` are missing: both fall back to plain text silently. */
const TLS_BY_MODE: ReadonlyMap<string, PostgresAddress["tls"]> = new Map([
  ["verify-full", "full"],
  // As strict as verify-full: libpq's `require` accepts every certificate, and so an attacker's.
  ["require", "full"],
  ["verify-ca", "ca"],
  ["no-verify", "unverified"],
  ["disable", "none"],
]);

/**
 * Undefined: not of `POSTGRES_URL_FORM`. Without `sslmode` TLS is verified fully, except on this machine, where
 * it is not used. Other parameters than `sslmode` and `sslrootcert` have no effect.
 */
export function parsePostgresUrl(text: string): PostgresAddress | undefined {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return undefined;
  // Unlike libpq, several hosts or a socket's folder are not supported.
  const host = withoutBrackets(url.hostname);
  if (!/^[\w.:-]+$/.test(host)) return undefined;
  const mode = url.searchParams.get("sslmode");
  const caFile = url.searchParams.get("sslrootcert") ?? undefined;
  const byDefault = isLoopbackHost(host) && caFile === undefined ? "none" : "full";
  const tls = mode === null ? byDefault : TLS_BY_MODE.get(mode);
  // Deno's permission flags separate paths by commas and cannot escape one.
  if (tls === undefined || caFile === "" || caFile?.includes(",")) return undefined;
  try {
    const [user, password, path] = [url.username, url.password, url.pathname.slice(1)]
      .map(decodeURIComponent) as [string, string, string];
    if (user === "" || path.includes("/")) return undefined;
    const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
    return { host, port, user, password, database: path || user, tls, caFile };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Environment variables that npm `pg` reads for what the URL leaves open. */
export const POSTGRES_VARIABLES: readonly string[] = [
  "PGAPPNAME",
  "PGBINARY",
  "PGCLIENT_ENCODING",
  "PGOPTIONS",
  "PGREPLICATION",
  "PGSSLNEGOTIATION",
];
