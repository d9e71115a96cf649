/**
 * The path of a request's URL, as it was sent: no decoding, no `..` resolved, no `new URL` (which
 * costs more than all the rest of a prepared answer). What is not in a table under exactly these
 * characters does not exist.
 */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  for (let i = start; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code === QUESTION_MARK || code === HASH) return url.slice(start, i);
  }
  return url.slice(start);
}

/**
 * Whether a request's URL asks for a page's data: `fresh-partial=true` anywhere in its query. For a
 * URL without a query this is one look.
 */
export function asksForPageData(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && PAGE_DATA.test(url.slice(query));
}

/** No name or value of a query holds a bare `&`; a second `?` is part of one. */
const PAGE_DATA = /^(?:\?|.*&)fresh-partial=true(?:&|#|$)/;

const QUESTION_MARK = 0x3f;
const HASH = 0x23;
