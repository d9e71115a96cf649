import { queryOf } from "../../protocol/request_url.ts";

/**
 * The values of one field of an SDK's authentication, each once: from the header, then from the query.
 *
 * ```
 * X-Sentry-Auth: Sentry sentry_version=7, sentry_client=NAME/VERSION, sentry_key=KEY
 * ?sentry_version=7&sentry_client=NAME%2FVERSION&sentry_key=KEY
 * ```
 *
 * https://develop.sentry.dev/sdk/overview/#authentication
 */
export function sentryAuth(
  { headers, url }: Pick<Request, "headers" | "url">,
  field: "sentry_key" | "sentry_client",
): readonly string[] {
  const [, fields = ""] = /^sentry\s+(.*)$/is.exec(headers.get("x-sentry-auth") ?? "") ?? [];
  const inHeader = fields.split(",").map((pair) => pair.trim().split("=", 2))
    .flatMap(([name, value]) => name === field && value !== undefined ? [value] : []);
  return [...new Set([...inHeader, ...queryOf(url).getAll(field)])];
}
