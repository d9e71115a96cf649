const ENTITY_TAG = /[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;

/**
 * Whether `If-None-Match` names this strong entity tag (quotes included): a list, compared weakly,
 * or `*` (RFC 9110, 13.1.2). What is not well-formed matches nothing from there on.
 */
export function matchesEtag(header: string, etag: string): boolean {
  if (header === etag) return true;
  if (header.trim() === "*") return true;
  ENTITY_TAG.lastIndex = 0;
  for (let match = ENTITY_TAG.exec(header); match !== null; match = ENTITY_TAG.exec(header)) {
    if (match[1] === etag) return true;
  }
  return false;
}
