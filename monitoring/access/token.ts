import { createHash, timingSafeEqual } from "node:crypto";

/** What the name of the cookie begins with. */
const TOKEN_COOKIE = "sightglass_inbox";
const COOKIE = new RegExp(`^\\s*${TOKEN_COOKIE}\\w*=(\\S*)\\s*$`);

type TokenMatch = "right" | "wrong" | "none";

/** Compares what requests bear with `INBOX_TOKEN`. If that is not set, no request bears the right one. */
export function inboxToken(token: string | undefined) {
  const right = token === undefined ? [] : [digest(token), digest(cookieValue(token))];
  return {
    /** Checks `Authorization: Bearer`. A page of another origin cannot set it: its preflight fails. */
    asBearer(headers: Headers): TokenMatch {
      const offered = /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
      return compare(offered === undefined ? [] : [offered], right[0]);
    },

    /** Checks the cookie. A browser adds it by itself: check also which page the request comes from. */
    asCookie(headers: Headers): TokenMatch {
      const offered = (headers.get("cookie") ?? "").split(";")
        .flatMap((pair) => COOKIE.exec(pair)?.slice(1) ?? []);
      return compare(offered, right[1]);
    },
  };
}

/** Milliseconds between two reports of {@linkcode WrongTokens}. */
const REPORT_MS = 60_000;
/** Milliseconds by which a refusal is delayed for each wrong token since the last report, and their maximum. */
const DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/** Requests that were refused and had a wrong token: counted for the log, and answered later, to slow down guessing. */
export class WrongTokens {
  #requests = 0;

  constructor(readonly report: (requests: number) => void, readonly reportMs = REPORT_MS) {}

  async refuse(): Promise<void> {
    if (this.#requests === 0) {
      const timer = setTimeout(() => {
        this.report(this.#requests);
        this.#requests = 0;
      }, this.reportMs);
      Deno.unrefTimer(timer as unknown as number);
    }
    this.#requests++;
    const delay = Math.min(DELAY_MS * this.#requests, MAX_DELAY_MS);
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

/** All ports of a host share their cookies, so each token has a name of its own. */
export function tokenCookie(token: string): string {
  const value = cookieValue(token);
  return `${TOKEN_COOKIE}_${value.slice(0, 8)}=${value}`;
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
