/** Parts of a request's URL as they were sent. Without `new URL()`, which throws for a hostile `Host`. */

/** Nothing is decoded, and no `..` resolved. */
export function pathOf(url: string): string {
  return /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || "/";
}

export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.slice(url.indexOf("?") + 1 || url.length));
}
