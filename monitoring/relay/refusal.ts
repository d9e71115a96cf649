import type { Refusal } from "../protocol/relay_api.ts";
import { pathOf } from "../protocol/request_url.ts";
import { sentryAuth } from "./admit/sentry_auth.ts";

/** Maximum length of each text that the client determines. */
const MAX_TEXT = 256;

/** Describes a refused request for the list of refusals, where its sender looks for the cause. */
export function refusalOf(
  request: Request,
  { code, detail }: { readonly code: string; readonly detail: string },
  now: number,
): Refusal {
  const { headers, url } = request;
  const text = (value: string | null | undefined) => value?.slice(0, MAX_TEXT) ?? null;
  return {
    at: new Date(now).toISOString(),
    error: code,
    detail,
    origin: text(headers.get("origin")),
    address: pathOf(url).slice(0, MAX_TEXT),
    user_agent: text(headers.get("user-agent") || sentryAuth(request, "sentry_client")[0]),
    count: 1,
  };
}

/** One row for two refusals of the same address, reason and sender; undefined: they differ. */
export function joinRefusals(refusal: Refusal, earlier: Refusal): Refusal | undefined {
  const isRepeat = (["address", "error", "origin", "user_agent"] as const)
    .every((name) => refusal[name] === earlier[name]);
  return isRepeat ? { ...refusal, count: refusal.count + earlier.count } : undefined;
}
