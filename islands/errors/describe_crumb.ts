import { levelKind, type OutcomeKind } from "../../components/outcome.ts";
import type { Breadcrumb } from "../../monitoring/models/error/breadcrumbs.ts";

interface CrumbLine {
  /** `refused`: something failed; `waits`: a warning. */
  readonly kind: OutcomeKind;
  /** Method and address of a request; null: not one. */
  readonly request: string | null;
  readonly status: string | null;
  /** Of a warning or a failure, unless the status shows it. */
  readonly level: string | null;
  readonly span: string | null;
  readonly data: Breadcrumb["data"];
}

/** The method and the query of a request: browsers, servers until SDK 10, servers since. */
const METHODS = ["method", "http.method", "http.request.method"];
const QUERIES = ["http.query", "url.query"];
/** Values that are shown apart from the others; the SDK's internal `__span`. */
const SHOWN_APART = ["status_code", "__span"];

/** Finds the request, its status and its span in the values of a breadcrumb. */
export function describeCrumb(
  { level, message, data }: Pick<Breadcrumb, "level" | "message" | "data">,
): CrumbLine {
  const value = (...names: string[]) => data.find(([name]) => names.includes(name))?.[1] ?? null;
  const method = value(...METHODS);
  const url = value("url");
  const query = value(...QUERIES)?.replace(/^\??/, "?") ?? "";
  const status = value("status_code");
  const span = value("__span");
  const isRequest = method !== null && url !== null;
  const ofStatus = statusKind(Number(status));
  const kind = ofStatus === "refused" ? ofStatus : levelKind(level);
  return {
    kind: kind === "flows" ? ofStatus : kind,
    request: isRequest ? `${method} ${url}${query}` : null,
    status,
    level: kind === "flows" || ofStatus !== "flows" ? null : level,
    span: /^[\da-f]{16}$/.test(span ?? "") ? span : null,
    data: data.filter(([name, value]) =>
      !SHOWN_APART.includes(name) &&
      !(name === "arguments" && value === JSON.stringify([message], null, 2)) &&
      !(name === "logger" && value === "console") &&
      !(isRequest && [...METHODS, ...QUERIES, "url"].includes(name))
    ),
  };
}

function statusKind(status: number): OutcomeKind {
  if (status >= 500) return "refused";
  return status >= 400 ? "waits" : "flows";
}
