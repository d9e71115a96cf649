/**
 * Slots: values in prebuilt pages that are only known when the server starts. Their markers consist of private-use
 * characters, which neither React nor `JSON.stringify` escapes:
 *
 *     U+E000 name U+E003   a text in markup or in an attribute, HTML-escaped
 *     U+E001 name U+E003   a text inside a JSON string, JSON-escaped
 *     U+E002 name U+E003   a whole JSON value
 */
const TEXT = "\uE000";
const JSON_TEXT = "\uE001";
const JSON_VALUE = "\uE002";
const END = "\uE003";
const MARKER = /([\uE000\uE001\uE002])([A-Za-z][A-Za-z0-9_-]*)\uE003/g;

/** The values of a start, by slot name: texts for `slot`, any JSON for `<PageData>`. */
export type SlotValues = Readonly<Record<string, unknown>>;

/** A text that the App inserts at the start. Code at build time sees a marker: it must not measure or compare it. */
export function slot(name: string): string {
  return TEXT + name + END;
}

/** For `<PageData>`. */
export function dataSlot(name: string): string {
  return JSON_VALUE + name + END;
}

/** JSON for `<script type="application/json">`. Slots in its strings are escaped as JSON. */
export function scriptJson(value: unknown): string {
  return escapeJson(JSON.stringify(value)).replaceAll(TEXT, JSON_TEXT);
}

/** Replaces every marker, in one pass: none inside a value. @throws {TypeError} a slot has no value */
export function fillSlots(html: string, values: SlotValues): string {
  return html.replace(MARKER, (_marker, kind: string, name: string) => {
    if (!Object.hasOwn(values, name)) {
      throw new TypeError(`The page uses slot "${name}", which has no value: set it in \`slots\`.`);
    }
    if (kind === JSON_VALUE) return escapeJson(JSON.stringify(values[name]));
    const text = String(values[name]);
    return kind === TEXT ? escapeHtml(text) : escapeJson(JSON.stringify(text)).slice(1, -1);
  });
}

/** Escapes a text for HTML exactly as React does, so that hydration finds no difference. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#x27;");
}

/** Inside a script element only `<` is dangerous (`</script`, `<!--`). */
function escapeJson(json: string): string {
  return json.replaceAll("<", "\\u003c");
}
