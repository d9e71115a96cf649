/**
 * Slots: texts in prebuilt pages that are only known when the server starts.
 *
 * The build writes a marker into the HTML, which the start replaces. Markers consist of private-use
 * characters, which neither React nor `JSON.stringify` escapes:
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

/** A slot has no value, or its name is invalid. */
export class SlotError extends Error {
  override name = "SlotError";
}

/**
 * A text that the App inserts at the start: in text, in an attribute or in a string of an island's
 * props. Code at build time sees only a marker, so it must not measure, cut or compare it.
 */
export function slot(name: string): string {
  return TEXT + checked(name) + END;
}

/** The marker of a whole JSON value, for `<PageData>`. */
export function dataSlot(id: string): string {
  return JSON_VALUE + checked(id) + END;
}

/** JSON for `<script type="application/json">`. Slots in its strings are escaped as JSON. */
export function scriptJson(value: unknown): string {
  return escapeJson(JSON.stringify(value)).replaceAll(TEXT, JSON_TEXT);
}

/** Whether a text contains a slot of any kind. */
export function hasSlot(text: string): boolean {
  return /[\uE000-\uE003]/.test(text);
}

/** The values of a start. */
export interface SlotValues {
  /** Texts by slot name. */
  readonly slots: Readonly<Record<string, string>>;
  /** JSON values by `<PageData id>`. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Replaces every marker, in one pass: a marker inside a value is not replaced.
 *
 * @throws {SlotError} a slot has no value
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

/** Escapes a text for HTML exactly as React does, so that hydration finds no difference. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#x27;");
}

/** Inside a script element only `<` is dangerous (`</script`, `<!--`). */
function escapeJson(json: string): string {
  return json.replaceAll("<", "\\u003c");
}

function checked(name: string): string {
  if (!NAME.test(name)) {
    throw new SlotError(
      `Invalid slot name ${JSON.stringify(name)}: use a letter, then letters, digits, - and _.`,
    );
  }
  return name;
}

function missing(what: string, option: string): SlotError {
  return new SlotError(
    `The page uses ${what}, which has no value: set it in the App's \`${option}\`.`,
  );
}
