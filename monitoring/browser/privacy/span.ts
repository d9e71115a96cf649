import { mapLeaves, resourceAddress, scrubAddress, scrubText } from "./address.ts";
import { withoutAttributes } from "./selector.ts";

/** The part of a span, as the SDK is about to send it, that can hold what must not leave. */
export interface ScrubbableSpan {
  name: string;
  attributes?: Record<string, unknown>;
}

/** Nothing but what must not leave. */
const NEVER =
  /^(?:http\.query|http\.fragment|url\.query|url\.fragment)$|^sentry\.browser\.measure\.detail/;

/** Descriptions of elements. */
const SELECTORS = /^browser\.web_vital\.\w+\.(?:element|source\.\d+)$|^browser\.script\.invoker$/;

/**
 * Takes out of a span what must not leave: queries, fragments and unknown paths, the address of a
 * picture that the reader sees, and the texts that an element's description carries. Changes the
 * span in place.
 *
 * @param pageOrigin such as "https://example.org"
 */
export function scrubSpan<S extends ScrubbableSpan>(span: S, pageOrigin: string): S {
  const attributes = span.attributes ?? {};
  const op = String(attributes["sentry.op"] ?? "");
  const isResource = op.startsWith("resource.");
  const scrub = (text: string) => scrubText(text, pageOrigin);

  if (isResource) {
    span.name = resourceAddress(String(attributes["url.full"] ?? span.name), pageOrigin);
  } else if (op.startsWith("ui.webvital.") || op.startsWith("ui.interaction.")) {
    span.name = withoutAttributes(span.name);
  } else if (op === "http.client") {
    // `GET token`: an address that is relative to the page need not begin with a slash.
    span.name = span.name.replace(/(?<= ).*/s, (address) => scrubAddress(address, pageOrigin));
  } else {
    span.name = scrub(span.name);
  }

  for (const [key, value] of Object.entries(attributes)) {
    if (NEVER.test(key)) {
      delete attributes[key];
    } else {
      attributes[key] = mapLeaves(
        value,
        (leaf) =>
          typeof leaf !== "string"
            ? leaf
            : (isResource && key === "url.full") || key === "browser.web_vital.lcp.url"
            ? resourceAddress(leaf, pageOrigin)
            : key === "url"
            ? scrubAddress(leaf, pageOrigin)
            : scrub(SELECTORS.test(key) ? withoutAttributes(leaf) : leaf),
      );
    }
  }
  return span;
}
