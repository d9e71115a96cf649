/** Reported in place of an unknown path. */
const UNKNOWN = "<unknown>";

/**
 * The paths of this origin that may be reported: the page, the server's fixed routes and assets. Any
 * other may contain a secret, such as a reset link's token. In a text, a line number or a punctuation
 * mark may follow.
 */
const KNOWN_PATH =
  /^(?:\/(?:|signal|monitoring(?:\/(?:inbox|player))?|assets\/[\w-]+\.[\w.]+))?(?::\d+){0,2}[.,:;)'\]]*$/;

/** File extensions of code that are reported. */
const CODE = /\.(?:m?js|css|wasm|woff2?|json)$/i;

/** File extensions of media that are reported. */
const CONTENT_ENDING =
  /\.(?:apng|avif|bmp|gif|ico|jpe?g|png|svg|webp|mp[34]|m4[av]|mov|og[agv]|wav|webm|vtt|pdf)$/i;

/** User name and password in an address. */
const USER = /(:\/\/)[^\s/?#"<>]*@/g;

/** The path if it is known, otherwise `<unknown>`. Also names page loads and navigations. */
export function knownPath(path: string): string {
  return KNOWN_PATH.test(path) ? path : UNKNOWN;
}

/**
 * Removes private parts of an address: user, query and fragment, and unknown paths of this origin. Of
 * `data:`, `blob:`, `mailto:` and similar addresses only the scheme remains.
 *
 * @param address absolute, or relative to the page
 * @param pageOrigin such as "https://example.org"
 */
export function scrubAddress(address: string, pageOrigin: string): string {
  const scheme = /^(?:about|data|blob|javascript|mailto|tel|sms):/i.exec(address)?.[0];
  return scheme?.toLowerCase() ??
    withKnownPath(address.replace(/[?#].*$/s, "").replace(USER, "$1"), pageOrigin);
}

function withKnownPath(address: string, pageOrigin: string): string {
  const [origin = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(address) ?? [];
  if (origin === "") return knownPath(address);
  if (origin.toLowerCase() !== pageOrigin) return address;
  const path = knownPath(address.slice(origin.length));
  return origin + (path === UNKNOWN ? "/" : "") + path;
}

/**
 * Addresses within a text. A slash within a word ("and/or?") or after a bracket ("</p>") does not start
 * one. Brackets and apostrophes count as part of an address.
 */
const ADDRESS = /((?:\b[a-z][a-z0-9+.-]*:\/\/|(?<![\w/:.<])\/)[^\s?#"<>]*)(?:[?#][^\s"<>]*)?/gi;
const INLINE_DATA = /\b(data|blob):[^\s,;"<>]+[^\s"<>]*/gi;

/** Applies {@linkcode scrubAddress} to each address in a text. */
export function scrubText(text: string, pageOrigin: string): string {
  if (!/[/?#@]|data:|blob:/i.test(text)) return text;
  return text.replace(INLINE_DATA, "$1:").replace(USER, "$1")
    .replace(ADDRESS, (_all, address) => withKnownPath(address, pageOrigin));
}

/**
 * Copies plain data and replaces each value that is neither array nor object. Data of the SDK has
 * limited depth and width, and no cycles.
 */
export function mapLeaves(data: unknown, replace: (leaf: unknown) => unknown): unknown {
  if (typeof data !== "object" || data === null) return replace(data);
  if (Array.isArray(data)) return data.map((entry) => mapLeaves(entry, replace));
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, mapLeaves(value, replace)]),
  );
}

/**
 * Removes private parts of a resource's address. Known paths remain; of all others, such as pictures,
 * only the foreign origin and the file extension.
 *
 * @param address absolute, or relative to the page
 * @param pageOrigin such as "https://example.org"
 * @returns such as "/assets/ab12.js", "/*.png", "https://other.example/*.png"
 */
export function resourceAddress(address: string, pageOrigin: string): string {
  const url = URL.parse(address, pageOrigin);
  if (!url || !/^https?:$/.test(url.protocol)) return url?.protocol ?? "";
  const sameOrigin = url.origin === pageOrigin;
  if (sameOrigin && url.pathname !== "/" && KNOWN_PATH.test(url.pathname)) return url.pathname;
  const ending = CONTENT_ENDING.exec(url.pathname) ?? CODE.exec(url.pathname);
  return `${sameOrigin ? "" : url.origin}/*${ending?.[0].toLowerCase() ?? ""}`;
}

/**
 * Removes the attributes from the SDK's description of an element. It writes `aria-label`, `title`,
 * `alt` and `name` into click breadcrumbs and web-vital spans. Values are not escaped there, so
 * everything from the first to the last bracket is removed.
 *
 * @param selector such as `main > button#send.wide[title="Send to Ann"]`
 * @returns such as `main > button#send.wide`
 */
export function withoutAttributes(selector: string): string {
  return selector.replace(/\[[\s\S]*\]/, "").replace(/\[[\s\S]*$/, "");
}
