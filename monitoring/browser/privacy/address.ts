/** Reported in place of a path that is not known. */
const UNKNOWN = "<unknown>";

/**
 * The paths of this origin that may be reported: the page, the server's fixed routes, the build's
 * assets. Any other may hold a secret, such as a reset link's token. In a text a line number or a
 * punctuation mark may follow the path.
 */
const KNOWN_PATH =
  /^(?:\/(?:|signal|monitoring(?:\/(?:inbox|player))?|assets\/[\w-]+\.[\w.]+))?(?::\d+){0,2}[.,:;)'\]]*$/;

/** Kinds of code that another origin's address is reported with. */
const CODE = /\.(?:m?js|css|wasm|woff2?|json)$/i;

/** Endings that say what kind of content it was, and nothing else about it. */
const CONTENT_ENDING =
  /\.(?:apng|avif|bmp|gif|ico|jpe?g|png|svg|webp|mp[34]|m4[av]|mov|og[agv]|wav|webm|vtt|pdf)$/i;

/** Who an address logs in as, and with what. */
const USER = /(:\/\/)[^\s/?#"<>]*@/g;

/** The path if it is a known one, else `<unknown>`: also the name of a page load or navigation. */
export function knownPath(path: string): string {
  return KNOWN_PATH.test(path) ? path : UNKNOWN;
}

/**
 * What may be reported of an address: no user, query or fragment, of this origin only known paths,
 * of inline and local data only the scheme.
 *
 * @param address absolute, or relative to the page
 * @param pageOrigin such as "https://example.org"
 */
export function scrubAddress(address: string, pageOrigin: string): string {
  const scheme = /^(?:about|data|blob|javascript|mailto|tel|sms):/i.exec(address)?.[0];
  return scheme?.toLowerCase() ??
    withKnownPath(address.replace(/[?#].*$/s, "").replace(USER, "$1"), pageOrigin);
}

/** An address without query and fragment; of this origin, only if its path is known. */
function withKnownPath(address: string, pageOrigin: string): string {
  const [origin = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(address) ?? [];
  if (origin === "") return knownPath(address);
  if (origin.toLowerCase() !== pageOrigin) return address;
  const path = knownPath(address.slice(origin.length));
  return origin + (path === UNKNOWN ? "/" : "") + path;
}

/**
 * Addresses within a text; a slash within a word ("and/or?") or after a bracket ("</p>") begins
 * none. Brackets and apostrophes may be part of an address, so one that is followed by them loses
 * them with its query.
 */
const ADDRESS = /((?:\b[a-z][a-z0-9+.-]*:\/\/|(?<![\w/:.<])\/)[^\s?#"<>]*)(?:[?#][^\s"<>]*)?/gi;
const INLINE_DATA = /\b(data|blob):[^\s,;"<>]+[^\s"<>]*/gi;

/** A text with each address in it as {@linkcode scrubAddress} reports it. */
export function scrubText(text: string, pageOrigin: string): string {
  if (!/[/?#@]|data:|blob:/i.test(text)) return text;
  return text.replace(INLINE_DATA, "$1:").replace(USER, "$1")
    .replace(ADDRESS, (_all, address) => withKnownPath(address, pageOrigin));
}

/**
 * A copy of plain data with each value that is neither list nor object replaced. What the SDK hands
 * over is bounded in depth and width, and has no cycles.
 */
export function mapLeaves(data: unknown, replace: (leaf: unknown) => unknown): unknown {
  if (typeof data !== "object" || data === null) return replace(data);
  if (Array.isArray(data)) return data.map((one) => mapLeaves(one, replace));
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, mapLeaves(value, replace)]),
  );
}

/**
 * The address of a resource, as far as it may leave: the build's assets keep their path; of all
 * else, such as a picture that the reader sees, only the other origin and the kind remain.
 *
 * @param address absolute, or relative to the page
 * @param pageOrigin such as "https://example.org"
 * @returns such as "/assets/ab12.js", "/*.png", "https://other.example/*.png"
 */
export function resourceAddress(address: string, pageOrigin: string): string {
  const url = parseAddress(address, pageOrigin);
  if (!url || !/^https?:$/.test(url.protocol)) return url?.protocol ?? "";
  const sameOrigin = url.origin === pageOrigin;
  if (sameOrigin && url.pathname !== "/" && KNOWN_PATH.test(url.pathname)) return url.pathname;
  const ending = CONTENT_ENDING.exec(url.pathname) ?? CODE.exec(url.pathname);
  return `${sameOrigin ? "" : url.origin}/*${ending?.[0].toLowerCase() ?? ""}`;
}

/** An address; undefined where it is none. (`URL.parse` is younger than the browsers we serve.) */
export function parseAddress(address: string, base: string): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    // That is the question.
    return undefined;
  }
}
