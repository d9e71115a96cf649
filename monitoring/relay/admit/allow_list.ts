import { isOwnOrigin } from "../../access/caller.ts";
import { type Dsn, isHostedIngest, parseDsn } from "../../protocol/dsn.ts";
import type { EnvelopeHeader } from "../../protocol/envelope.ts";
import { queryOf } from "../../protocol/request_url.ts";
import { RelayError } from "../errors.ts";
import { sentryAuth } from "./sentry_auth.ts";

interface AllowListOptions {
  readonly publicOrigin?: string;
  /** A sentence for refused senders: what would be right. */
  readonly advice?: string;
}

/**
 * The DSNs that may be relayed. Requests only select one: host and key to send to always come from this list. Its
 * methods throw `RelayError`: `dsn_missing`, `dsn_not_allowed`.
 */
export class AllowList {
  readonly #byText: ReadonlyMap<string, Dsn>;
  readonly #options: AllowListOptions;

  constructor(dsns: readonly Dsn[], options: AllowListOptions = {}) {
    this.#byText = new Map(dsns.map((dsn) => [dsn.text, dsn]));
    this.#options = options;
  }

  /** Finds an envelope's DSN by its header and the query `?o=ORG&p=PROJECT[&r=REGION]`, which must not disagree. */
  match(header: EnvelopeHeader, url: string): Dsn {
    const named = header.dsn ?? undefined;
    const isQueried = queryTarget(url);
    if (named === undefined) {
      if (isQueried) return this.#only(isQueried);
      this.#refuse(
        "dsn_missing",
        "The envelope has no DSN; its header needs `dsn`, or the query ?o=ORG&p=PROJECT.",
      );
    }
    const dsn = this.find(named);
    return dsn && isQueried?.(dsn) !== false ? dsn : this.#notAllowed();
  }

  /**
   * Finds the DSN of an envelope that was posted to `/api/PROJECT/envelope/`, by project and public key. A `dsn` in the
   * envelope's header must be the same one, or the same key and project at this server.
   */
  matchAddress(header: EnvelopeHeader, request: Request, project: string): Dsn {
    const [key, anotherKey] = sentryAuth(request, "sentry_key");
    if (key === undefined) return this.#noKey();
    if (anotherKey !== undefined) return this.#notAllowed();
    const isAddressed = (dsn: Dsn) => dsn.projectId === project && dsn.publicKey === key;
    const dsn = this.#only(isAddressed);
    if (header.dsn === undefined || header.dsn === null) return dsn;
    const named = parseDsn(header.dsn);
    const isSame = named !== undefined && isAddressed(named) &&
      (named.text === dsn.text || this.#isThisServer(named, request));
    return isSame ? dsn : this.#notAllowed();
  }

  /** Finds the DSN of a body that names none, by its public key. `mayOmit`: the only allowed DSN needs none. */
  matchKey(request: Request, mayOmit: boolean): Dsn {
    const keys = sentryAuth(request, "sentry_key");
    if (keys.length > 0 || mayOmit && this.#byText.size === 1) {
      return this.#only(({ publicKey }) => keys.every((key) => key === publicKey));
    }
    return this.#noKey();
  }

  /** The DSN of an envelope whose sender may send any or none: the one in its header if it is allowed, else the first. */
  matchAny(header: EnvelopeHeader, project: string | undefined): Dsn {
    if (project !== undefined && !/^\d+$/.test(project)) {
      throw new RelayError(
        "dsn_not_allowed",
        "The project in the address is not a number; use a DSN such as http://inbox@127.0.0.1:8000/1.",
      );
    }
    return this.find(header.dsn) ?? [...this.#byText.values()][0] ?? this.#notAllowed();
  }

  find(named: unknown): Dsn | undefined {
    const exact = typeof named === "string" ? this.#byText.get(named) : undefined;
    if (exact) return exact;
    const dsn = parseDsn(named);
    return dsn && this.#byText.get(dsn.text);
  }

  #only(fits: (dsn: Dsn) => boolean): Dsn {
    const [dsn, another] = [...this.#byText.values()].filter(fits);
    return dsn && !another ? dsn : this.#notAllowed();
  }

  #isThisServer({ protocol, host }: Dsn, request: Request): boolean {
    // Without a default port, like `Host`.
    const origin = URL.parse(`${protocol}://${host}`)?.origin ?? "";
    return isOwnOrigin(origin, request, this.#options.publicOrigin);
  }

  #noKey(): never {
    this.#refuse(
      "dsn_missing",
      "The request has no public key; it needs X-Sentry-Auth, or the query ?sentry_key=KEY.",
    );
  }

  #notAllowed(): never {
    this.#refuse(
      "dsn_not_allowed",
      "The envelope's DSN may not be relayed; it must be exactly one that this server allows.",
    );
  }

  #refuse(code: "dsn_missing" | "dsn_not_allowed", detail: string): never {
    const { advice } = this.#options;
    throw new RelayError(code, advice === undefined ? detail : `${detail} ${advice}`);
  }
}

/** Whether a DSN is that of a query; undefined if the query has none of the three parameters. Others are ignored. */
function queryTarget(url: string): ((dsn: Dsn) => boolean) | undefined {
  if (!url.includes("?")) return undefined;
  const query = queryOf(url);
  if (!["o", "p", "r"].some((name) => query.has(name))) return undefined;
  // A parameter that is repeated has no single value, and fits no DSN.
  const value = (name: string) => query.getAll(name).join();
  const region = query.has("r") ? `${value("r")}.` : "";
  const host = `o${value("o")}.ingest.${region}sentry.io`;
  return (dsn) =>
    isHostedIngest(dsn) && dsn.host === host && dsn.projectId === value("p") &&
    dsn.protocol === "https" && dsn.path === "";
}
