/** What may be read from an address's path: code and styles of the build, never content. */
const CODE = /\.(?:m?js|css|wasm|woff2?|json)$/i;

/** Endings that say what kind of content it was, and nothing else about it. */
const CONTENT_ENDING =
  /\.(?:apng|avif|bmp|gif|ico|jpe?g|png|svg|webp|mp[34]|m4[av]|mov|og[agv]|wav|webm|vtt|pdf)$/i;

/** Who an address logs in as, and with what. */
const USER = /(:\/\/)[^\s/?#"<>]*@/g;

/**
 * An address without user, query and fragment, and of inline and local data nothing but the scheme.
 * Works on relative addresses too.
 */
export function withoutQuery(address: string): string {
  const scheme = /^(?:data|blob|javascript|mailto|tel|sms):/i.exec(address)?.[0];
  return scheme ? scheme.toLowerCase() : address.replace(/[?#].*$/s, "").replace(USER, "$1");
}

/**
 * Addresses within a text; a slash within a word ("and/or?") begins none. Brackets and apostrophes
 * may be part of an address, so one that is followed by them loses them with its query.
 */
const ADDRESS_WITH_QUERY =
  /((?:\b[a-z][a-z0-9+.-]*:\/\/|(?<![\w/:.])\/)[^\s?#"<>]*)[?#][^\s"<>]*/gi;
const INLINE_DATA = /\b(data|blob):[^\s,;"<>]+[^\s"<>]*/gi;

/** A text in which every address has lost its user, its query, its fragment and any inline data. */
export function withoutQueries(text: string): string {
  if (!/[?#@]|data:|blob:/i.test(text)) return text;
  return text.replace(INLINE_DATA, "$1:").replace(USER, "$1").replace(ADDRESS_WITH_QUERY, "$1");
}

/**
 * The address of a resource, as far as it may leave: code of this origin keeps its path; of all
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
  if (sameOrigin && CODE.test(url.pathname)) return url.pathname;
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
