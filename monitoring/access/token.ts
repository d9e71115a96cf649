import { createHash, timingSafeEqual } from "node:crypto";

/** Cookies are shared by all ports of a host, so the name is specific to this server. */
export const TOKEN_COOKIE = "sightglass_inbox";

/** Whether a request bears the right `INBOX_TOKEN`, a wrong one or none. */
type TokenMatch = "right" | "wrong" | "none";

/** Compares what requests bear with `INBOX_TOKEN`. */
export class InboxToken {
  readonly #bearer: Uint8Array | undefined;
  readonly #cookie: Uint8Array | undefined;

  /** @param token undefined if `INBOX_TOKEN` is not set: no request bears the right one then */
  constructor(token: string | undefined) {
    if (token === undefined) return;
    this.#bearer = digest(token);
    this.#cookie = digest(cookieValue(token));
  }

  /** Checks `Authorization: Bearer`. A page of another origin cannot set it: its preflight fails. */
  asBearer(headers: Headers): TokenMatch {
    const offered = /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
    return compare(offered === undefined ? [] : [offered], this.#bearer);
  }

  /** Checks the cookie. A browser adds it by itself: check also which page the request comes from. */
  asCookie(headers: Headers): TokenMatch {
    const prefix = `${TOKEN_COOKIE}=`;
    const offered = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
    return compare(offered, this.#cookie);
  }
}

/** The cookie's value is derived from the token, so that a browser's cookies do not disclose the token itself. */
export function cookieValue(token: string): string {
  return createHash("sha256").update(`${TOKEN_COOKIE}:${token}`).digest("hex");
}

/** Compares digests in constant time to prevent timing attacks. */
function compare(offered: readonly string[], expected: Uint8Array | undefined): TokenMatch {
  if (offered.length === 0) return "none";
  const fits = (text: string) => expected !== undefined && timingSafeEqual(digest(text), expected);
  return offered.some(fits) ? "right" : "wrong";
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
