import { mapLeaves, resourceAddress, scrubAddress, scrubText, withoutAttributes } from "./text.ts";

/** The parts of a span that can contain private data. */
interface ScrubbableSpan {
  name: string;
  attributes?: Record<string, unknown>;
}

/** Attributes that may hold a query, a fragment or the page's own details of a measurement. They are removed. */
const REMOVED =
  /^(?:http\.query|http\.fragment|url\.query|url\.fragment)$|^sentry\.browser\.measure\.detail/;

/** Attributes with a description of an element. */
const SELECTORS = /^browser\.web_vital\.\w+\.(?:element|source\.\d+)$|^browser\.script\.invoker$/;

/**
 * Removes private data from a span: parts of addresses, and texts in descriptions of elements. Changes
 * the span in place.
 *
 * @returns the same span
 */
export function scrubSpan<S extends ScrubbableSpan>(span: S, pageOrigin: string): S {
  const attributes = span.attributes ?? {};
  const op = String(attributes["sentry.op"] ?? "");
  const isResource = op.startsWith("resource.");
  const scrub = (text: string) => scrubText(text, pageOrigin);
  const scrubAttribute = (key: string, text: string) => {
    if ((isResource && key === "url.full") || key === "browser.web_vital.lcp.url") {
      return resourceAddress(text, pageOrigin);
    }
    if (key === "url") return scrubAddress(text, pageOrigin);
    return scrub(SELECTORS.test(key) ? withoutAttributes(text) : text);
  };

  if (isResource) {
    span.name = resourceAddress(String(attributes["url.full"] ?? span.name), pageOrigin);
  } else if (op.startsWith("ui.webvital.") || op.startsWith("ui.interaction.")) {
    span.name = withoutAttributes(span.name);
  } else if (op === "http.client") {
    // An address that is relative to the page may have no slash: `GET token`.
    span.name = span.name.replace(/(?<= ).*/s, (address) => scrubAddress(address, pageOrigin));
  } else {
    span.name = scrub(span.name);
  }

  for (const [key, value] of Object.entries(attributes)) {
    if (REMOVED.test(key)) {
      delete attributes[key];
    } else {
      attributes[key] = mapLeaves(
        value,
        (leaf) => typeof leaf === "string" ? scrubAttribute(key, leaf) : leaf,
      );
    }
  }
  return span;
}
