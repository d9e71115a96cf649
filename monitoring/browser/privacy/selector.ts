/**
 * An element's description as the SDK makes it, without attributes: it writes `aria-label`,
 * `title`, `alt` and `name` into click breadcrumbs and web-vital spans, which are texts that a
 * person sees. Values are not escaped there, so everything from the first bracket to the last goes.
 *
 * @param selector such as `main > button#send.wide[title="Send to Ann"]`
 * @returns such as `main > button#send.wide`
 */
export function withoutAttributes(selector: string): string {
  return selector.replace(/\[[\s\S]*\]/, "").replace(/\[[\s\S]*$/, "");
}
