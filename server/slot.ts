/**
 * Slots: texts that are known only when the server starts, in pages that are made when it is built.
 *
 * The build leaves a marker in the HTML; the start replaces it once. Markers are private-use
 * characters, because neither HTML escaping nor JSON changes them, so they survive React and
 * `JSON.stringify` untouched:
 *
 *     U+E000 name U+E003   a text in markup or in an attribute, HTML-escaped
 *     U+E001 name U+E003   a text inside a JSON string, JSON-escaped
 *     U+E002 id   U+E003   a whole JSON value
 */
const TEXT = "\uE000";
const JSON_TEXT = "\uE001";
const JSON_VALUE = "\uE002";
const END = "\uE003";
const MARKER = /([\uE000\uE001\uE002])([A-Za-z][A-Za-z0-9_-]*)\uE003/g;
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** A page asks for a slot that the start did not fill, or a name is not one. */
export class SlotError extends Error {
  override name = "SlotError";
}

/**
 * A text that the App puts in place at the start. Usable as text, as an attribute and as (part of)
 * a string in an island's props. To code that runs at build time it is opaque: it must not be
 * measured, cut or compared.
 */
export function slot(name: string): string {
  return TEXT + checked(name) + END;
}

/** The marker of a whole JSON value, for `<PageData>`. */
export function dataSlot(id: string): string {
  return JSON_VALUE + checked(id) + END;
}

/**
 * JSON that is safe inside `<script type="application/json">`; slots in its strings become JSON
 * slots.
 */
export function scriptJson(value: unknown): string {
  return escapeJson(JSON.stringify(value)).replaceAll(TEXT, JSON_TEXT);
}

/**
 * True if the text holds a slot of any kind: for places where none may stand, such as a script with
 * a CSP hash.
 */
export function hasSlot(text: string): boolean {
  return /[\uE000-\uE003]/.test(text);
}

/** What the start knows. */
export interface SlotValues {
  /** Texts by slot name. */
  readonly slots: Readonly<Record<string, string>>;
  /** JSON values by `<PageData id>`. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The completed page: every marker replaced, in one pass, so that a value cannot bring markers of
 * its own.
 */
export function fillSlots(html: string, values: SlotValues): string {
  return html.replace(MARKER, (_marker, kind: string, name: string) => {
    if (kind === JSON_VALUE) {
      if (!Object.hasOwn(values.data, name)) throw missing(`page data "${name}"`, "data");
      return escapeJson(JSON.stringify(values.data[name]));
    }
    if (!Object.hasOwn(values.slots, name)) throw missing(`slot "${name}"`, "slots");
    const text = values.slots[name] ?? "";
    return kind === TEXT ? escapeHtml(text) : escapeJson(JSON.stringify(text)).slice(1, -1);
  });
}

/**
 * HTML-escaped text, with the five characters and the entities that React uses, so that hydration
 * finds no difference.
 */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#x27;");
}

/** `<` is all that can end or open anything inside a script element (`</script`, `<!--`). */
function escapeJson(json: string): string {
  return json.replaceAll("<", "\\u003c");
}

function checked(name: string): string {
  if (!NAME.test(name)) {
    throw new SlotError(
      `Slot name ${JSON.stringify(name)} is not one: a letter, then letters, digits, - and _.`,
    );
  }
  return name;
}

function missing(what: string, option: string): SlotError {
  return new SlotError(
    `The page uses ${what}, which nothing fills: give it in the App's \`${option}\`.`,
  );
}
