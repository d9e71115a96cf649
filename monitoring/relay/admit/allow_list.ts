import { type Dsn, DsnError, isHostedIngest, parseDsn } from "../../protocol/dsn.ts";
import type { EnvelopeHeader } from "../../protocol/envelope.ts";
import { RelayError } from "../errors.ts";

/** Hosted ingest and project, as given in a query. */
interface QueryTarget {
  readonly host: string;
  readonly projectId: string;
}

/**
 * The DSNs that may be relayed. A request only selects one of them: the host and key to send to always come from this
 * list, so that the relay is no open proxy.
 */
export class AllowList {
  readonly #byText: ReadonlyMap<string, Dsn>;

  constructor(dsns: readonly Dsn[]) {
    this.#byText = new Map(dsns.map((dsn) => [dsn.text, dsn]));
  }

  /**
   * Finds an envelope's DSN by its header and the query `?o=ORG&p=PROJECT[&r=REGION]`.
   *
   * @param url of the request
   * @throws {RelayError} `dsn_missing`, or `dsn_not_allowed`, also if header and query disagree
   */
  match(header: EnvelopeHeader, url: string): Dsn {
    const named = header.dsn ?? undefined;
    const target = queryTarget(url);
    if (named === undefined && target === undefined) {
      throw new RelayError(
        "dsn_missing",
        "The envelope has no DSN; its header needs `dsn`, or the query ?o=ORG&p=PROJECT.",
      );
    }
    const dsn = named === undefined ? undefined : this.find(named);
    if (target === undefined) return dsn ?? notAllowed();
    if (named === undefined) return this.#only(target);
    return dsn && isFor(dsn, target) ? dsn : notAllowed();
  }

  /** The allowed DSN with this text. */
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

  /** The only DSN of that project. With two keys it would be ambiguous. */
  #only(target: QueryTarget): Dsn {
    const [dsn, another] = [...this.#byText.values()].filter((dsn) => isFor(dsn, target));
    return dsn && !another ? dsn : notAllowed();
  }
}

/** Undefined if the query has none of the three parameters. Others are ignored. */
function queryTarget(url: string): QueryTarget | undefined {
  const start = url.indexOf("?");
  if (start < 0) return undefined;
  const query = new URLSearchParams(url.slice(start + 1));
  const [org, project, region] = ["o", "p", "r"].map((name) => query.getAll(name));
  if (!org?.length && !project?.length && !region?.length) return undefined;
  // SSRF: only digits and letters may become part of the host name, no dot, slash or @.
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

function isFor(dsn: Dsn, { host, projectId }: QueryTarget): boolean {
  return isHostedIngest(dsn) && dsn.host === host && dsn.projectId === projectId &&
    dsn.protocol === "https" && dsn.path === "";
}

function notAllowed(): never {
  throw new RelayError(
    "dsn_not_allowed",
    "The envelope's DSN may not be relayed; it must be exactly one that this server allows.",
  );
}
