import { type Dsn, DsnError, isHostedIngest, parseDsn } from "../protocol/dsn.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { RelayError } from "./errors.ts";

/** The hosted ingest and project that a query names. */
interface QueryTarget {
  readonly host: string;
  readonly projectId: string;
}

/**
 * The DSNs that may be relayed. Whatever a request says, it only chooses among these: host and key
 * that an envelope goes to are always taken from the list.
 */
export class AllowList {
  readonly #byText: ReadonlyMap<string, Dsn>;

  constructor(dsns: readonly Dsn[]) {
    this.#byText = new Map(dsns.map((dsn) => [dsn.text, dsn]));
  }

  /**
   * Finds the DSN that an envelope is for, by its header and the query `?o=ORG&p=PROJECT[&r=REGION]`.
   *
   * @param url the request's address
   * @throws {RelayError} `dsn_missing`, or `dsn_not_allowed`, also if header and query disagree
   */
  judge(header: EnvelopeHeader, url: string): Dsn {
    const named = header.dsn ?? undefined;
    const target = queryTarget(url);
    if (named === undefined && target === undefined) {
      throw new RelayError(
        "dsn_missing",
        "The envelope names no DSN; it must stand in the envelope's header or as ?o=ORG&p=PROJECT.",
      );
    }
    const dsn = named === undefined ? undefined : this.find(named);
    if (target === undefined) return dsn ?? notAllowed();
    if (named === undefined) return this.#only(target);
    return dsn && leadsTo(dsn, target) ? dsn : notAllowed();
  }

  /** The DSN of this text, if it may be relayed. */
  find(named: unknown): Dsn | undefined {
    if (typeof named !== "string") return undefined;
    const exact = this.#byText.get(named);
    if (exact) return exact;
    try {
      return this.#byText.get(parseDsn(named).text);
    } catch (error) {
      if (error instanceof DsnError) return undefined;
      throw error;
    }
  }

  /** The only DSN of that project. With two keys nothing would say which of them is meant. */
  #only(target: QueryTarget): Dsn {
    const [dsn, another] = [...this.#byText.values()].filter((dsn) => leadsTo(dsn, target));
    return dsn && !another ? dsn : notAllowed();
  }
}

/** Undefined if the query names none of the three; they are the whole of what it can say. */
function queryTarget(url: string): QueryTarget | undefined {
  const start = url.indexOf("?");
  if (start < 0) return undefined;
  const query = new URLSearchParams(url.slice(start + 1));
  const [org, project, region] = ["o", "p", "r"].map((name) => query.getAll(name));
  if (!org?.length && !project?.length && !region?.length) return undefined;
  // Only digits and letters get into a host name: no dot, slash or @ that would lead elsewhere.
  const o = single(org, /^\d+$/);
  const p = single(project, /^\d+$/);
  const r = region?.length ? single(region, /^[a-z]{2,}$/) : "";
  if (o === undefined || p === undefined || r === undefined) return notAllowed();
  return { host: `o${o}.ingest.${r && `${r}.`}sentry.io`, projectId: p };
}

function single(values: readonly string[] | undefined, form: RegExp): string | undefined {
  const [value, another] = values ?? [];
  return value !== undefined && another === undefined && form.test(value) ? value : undefined;
}

function leadsTo(dsn: Dsn, { host, projectId }: QueryTarget): boolean {
  return isHostedIngest(dsn) && dsn.host === host && dsn.projectId === projectId &&
    dsn.protocol === "https" && dsn.path === "";
}

function notAllowed(): never {
  throw new RelayError(
    "dsn_not_allowed",
    "The envelope's DSN may not be relayed; it must be exactly one that this server allows.",
  );
}
