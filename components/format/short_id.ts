/** Eight hexadecimal digits tell 500 rows apart with a chance of 1 in 30,000 of a mix-up. */
const SHOWN = 8;

/**
 * The beginning of an id, enough to tell rows apart. Show the whole id as the element's title.
 *
 * @param id a trace, event or replay id; hyphens are left out
 */
export function shortId(id: string): string {
  return id.replaceAll("-", "").slice(0, SHOWN);
}
