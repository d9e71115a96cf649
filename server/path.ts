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

const QUESTION_MARK = 0x3f;
const HASH = 0x23;
