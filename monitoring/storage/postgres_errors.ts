import { DatabaseOpenError, type StoreName } from "./errors.ts";
import type { PostgresAddress } from "./postgres_address.ts";

/** The server refused a value (SQLSTATE classes 22 and 23); trying it again cannot help. */
export function isInvalidValue(error: unknown): boolean {
  return /^2[23]\w{3}$/.test(codeOf(error) ?? "");
}

/** The transaction was rolled back because of another one (serialization failure, deadlock); it can be repeated. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error) ?? "");
}

/** The disk is full, and the reserve of the database is in use. */
export class FullDiskError extends Error {
  override readonly name = "FullDiskError";
  readonly code = DISK_FULL;
}

const DISK_FULL = "53100";
const TOO_MANY = "53300";

export const isDiskFull = (error: unknown) => codeOf(error) === DISK_FULL;

/** Another program held a lock for too long. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Why a call failed, part of a sentence, without addresses and values: logs are sent upstream. */
export function failureReason(error: unknown): string {
  if (isDiskFull(error)) return "the disk of PostgreSQL is full";
  if (isLocked(error)) return "another program, such as pg_dump, has locked its tables";
  if (codeOf(error) === TOO_MANY) return "PostgreSQL has no connection left";
  return `PostgreSQL failed, ${codeOf(error) ?? (error instanceof Error ? error.message : error)}`;
}

export function openError(store: StoreName, address: PostgresAddress, error: unknown): unknown {
  if (error instanceof DatabaseOpenError) return error;
  const [problem, remedy] = explain(address, error);
  return new DatabaseOpenError(store, problem, remedy, { cause: error });
}

function explain(address: PostgresAddress, error: unknown): [problem: string, remedy: string] {
  const { host, port, user } = address;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const server = `the PostgreSQL at ${host}:${port}`;
  if (code?.startsWith("28")) {
    return [
      `${server} refuses the user ${user} (${message})`,
      message.includes("no encryption")
        ? "Set sslmode=verify-full in DATABASE_URL, or let pg_hba.conf admit the user without TLS."
        : "Set user and password in DATABASE_URL, and let pg_hba.conf admit them.",
    ];
  }
  if (/cert|altnames|self.signed|UnknownIssuer|NotValidForName/i.test(`${code} ${message}`)) {
    return [
      `the certificate of ${server} is not trusted (${message})`,
      "Set sslrootcert in DATABASE_URL to its authority's file, and the host to a name that it certifies.",
    ];
  }
  return [
    `${server} cannot be used (${code && !message.includes(code) ? `${code} ` : ""}${message})`,
    code === "42P07"
      ? "Restore its row in sightglass.versions, or drop the schema sightglass with all that it has."
      : "Check DATABASE_URL, that the server runs and can be reached, and that the user may CREATE there.",
  ];
}

/** The code of a failure: an SQLSTATE or the system's, such as `ECONNREFUSED`; undefined: it has none. */
export function codeOf(error: unknown): string | undefined {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  // A name with several addresses.
  if (code === undefined && errors?.length) return codeOf(errors[0]);
  return typeof code === "string" ? code : undefined;
}

/** `08P01`: a pooler refuses logins until its server has started. `TOO_MANY`: connections of an earlier process remain. */
export function isStarting(error: unknown): boolean {
  return ["ECONNREFUSED", "57P03", "08P01", TOO_MANY].includes(codeOf(error) ?? "");
}

/** The database for messages: `HOST:PORT/NAME`, without user and password. */
export function nameOf({ host, port, database }: PostgresAddress): string {
  return `${host}:${port}/${database}`;
}
