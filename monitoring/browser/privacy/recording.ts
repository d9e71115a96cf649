import type { IsMonitoringRequest } from "../monitoring_requests.ts";
import { scrubAddresses, scrubBreadcrumb } from "./event.ts";
import { resourceAddress, scrubAddress, scrubText } from "./text.ts";

/*
 * Private data in rrweb's events (types and sources as in its `EventType` and `IncrementalSource`):
 *
 *   4 Meta          data.href
 *   2 FullSnapshot  data.node, a tree of nodes
 *   3 Incremental   data.source 0  Mutation            adds[].node, attributes[].attributes
 *                   data.source 5  Input               text
 *                   data.source 8  StyleSheetRule      adds[].rule, replace, replaceSync
 *                   data.source 13 StyleDeclaration    set.value
 *                   data.source 15 AdoptedStyleSheet   styles[].rules[].rule
 */

/** An rrweb event; `data` has a different shape for each type. */
export interface RecordedEvent {
  type: number;
  data: unknown;
}

type Fields = Record<string, unknown>;

/**
 * Removes private data from a recorded event that the recorder's own masking leaves: parts of addresses
 * and the sources of media, in attributes and styles; values of hidden fields; texts in styles. Changes
 * the event in place.
 */
export function scrubRecordedEvent<E extends RecordedEvent>(event: E, pageOrigin: string): E {
  const data = fields(event.data);
  if (event.type === 4 && typeof data.href === "string") {
    data.href = scrubAddress(data.href, pageOrigin);
  }
  if (event.type === 2) scrubNode(fields(data.node), pageOrigin);
  if (event.type !== 3) return event;
  for (const add of list(data.adds)) {
    if (data.source === 0) scrubNode(fields(add.node), pageOrigin);
    else scrubStyleIn(add, "rule");
  }
  for (const { attributes } of list(data.attributes)) {
    scrubAttributes("", fields(attributes), pageOrigin);
  }
  if (data.source === 5 && typeof data.text === "string") data.text = masked(data.text);
  scrubStyleIn(data, "replace");
  scrubStyleIn(data, "replaceSync");
  const set = fields(data.set);
  scrubValueIn(set, "value", String(set.property));
  for (const { rules } of list(data.styles)) {
    for (const rule of list(rules)) scrubStyleIn(rule, "rule");
  }
  return event;
}

function scrubNode(node: Fields, pageOrigin: string): void {
  if (node.isStyle) scrubStyleIn(node, "textContent");
  scrubAttributes(String(node.tagName ?? ""), fields(node.attributes), pageOrigin);
  for (const child of list(node.childNodes)) scrubNode(child, pageOrigin);
}

/** Attributes with the source of a picture, medium or frame. */
const SOURCES = new Set(["src", "srcset", "poster", "data", "background", "xlink:href", "rr_src"]);

function scrubAttributes(tagName: string, attributes: Fields, pageOrigin: string): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style" && typeof value === "object") scrubStyleDiff(fields(value));
    if (typeof value !== "string") continue;
    if (SOURCES.has(name)) attributes[name] = "";
    else if (name === "value") attributes[name] = masked(value);
    else if (name === "href" && tagName === "link") {
      attributes[name] = resourceAddress(value, pageOrigin);
    } else if (name === "href") attributes[name] = scrubAddress(value, pageOrigin);
    else if (name === "style" || name === "_cssText") scrubStyleIn(attributes, name);
  }
}

/** Changed properties: each is a value, or a value and its priority. */
function scrubStyleDiff(style: Fields): void {
  for (const [property, value] of Object.entries(style)) {
    if (Array.isArray(value)) scrubValueIn(fields(value), "0", property);
    else scrubValueIn(style, property, property);
  }
}

function scrubStyleIn(holder: Fields, key: string): void {
  const value = holder[key];
  if (typeof value === "string") holder[key] = withoutUrls(value).replace(SHOWN_TEXT, withoutTexts);
}

function scrubValueIn(holder: Fields, key: string, property: string): void {
  scrubStyleIn(holder, key);
  const value = holder[key];
  if (typeof value === "string" && /^(?:content$|--)/i.test(property)) {
    holder[key] = withoutTexts(value);
  }
}

/** Properties that can show text: `content`, and custom properties that it may refer to. */
const SHOWN_TEXT = /(?:\bcontent|--[\w-]+)\s*:(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^;}"'])*/gis;

/** Masks the quoted strings. */
function withoutTexts(css: string): string {
  return css.replace(
    /(["'])((?:(?!\1)[^\\]|\\.)*)\1/gs,
    (_all, quote, text) => quote + masked(text) + quote,
  );
}

const masked = (text: string) => text.replace(/\S/g, "*");

/** A string of CSS: the browser writes the quotes of an SVG in a `data:` address as `\"`. */
const STRING = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const ADDRESS = new RegExp(String.raw`url\(\s*(?:${STRING}|(?:[^)\\]|\\.)*)\s*(?:\)|$)`, "gis");
const IMPORT = new RegExp(String.raw`(@import\s+)(?:${STRING})`, "gis");
/** Its strings are addresses. */
const IMAGE_SET = new RegExp(String.raw`image-set\((?:${STRING}|\([^)]*\)|[^()"'])*`, "gis");

/** Removes the addresses from `url(…)`, `image-set("…")` and `@import "…"`. */
function withoutUrls(css: string): string {
  return css.replace(ADDRESS, "url()").replace(IMPORT, '$1""')
    .replace(IMAGE_SET, (set) => set.replace(new RegExp(STRING, "gs"), '""'));
}

/**
 * Attributes that are recorded unmasked: they determine how an element looks and behaves. All others may
 * be text for people (`title`, `alt`, `placeholder`, `aria-label`, `data-*` shown by a style sheet).
 */
const UNMASKED: ReadonlySet<string> = new Set(
  `id class type rel role lang dir for form tabindex hidden inert popover open disabled checked
  selected readonly required multiple contenteditable colspan rowspan span scope rows cols
  size width height media charset target method aria-hidden aria-expanded aria-selected
  aria-checked aria-pressed aria-disabled aria-current aria-live aria-busy aria-sort
  aria-controls aria-labelledby aria-describedby aria-modal aria-haspopup aria-orientation
  aria-invalid`.split(/\s+/),
);

/** Replaces every character but white space of an attribute's value by an asterisk, unless it is allowed. */
export function maskAttribute(name: string, value: string): string {
  return UNMASKED.has(name.toLowerCase()) ? value : masked(value);
}

export interface RecordingEntry {
  readonly data: {
    readonly tag: string;
    readonly payload: Readonly<Record<string, unknown>>;
  };
}

/**
 * Removes private data from a breadcrumb or performance entry of a recording.
 *
 * @returns null for console output (which may be private) and monitoring's own requests
 */
export function scrubRecordingEntry<E extends RecordingEntry>(
  entry: E,
  isMonitoringRequest: IsMonitoringRequest,
  pageOrigin: string,
): E | null {
  const { tag, payload } = entry.data;
  if (tag === "breadcrumb") {
    const scrubbed = scrubBreadcrumb(payload, isMonitoringRequest, pageOrigin);
    return scrubbed && withPayload(entry, { ...scrubbed });
  }
  if (tag === "performanceSpan") {
    const op = String(payload.op ?? "");
    const address = String(payload.description ?? "");
    if (op.startsWith("resource.") && isMonitoringRequest(address)) return null;
    const isRequest = op === "resource.fetch" || op === "resource.xhr";
    return withPayload(entry, {
      ...payload,
      description: op.startsWith("resource.") && !isRequest
        ? resourceAddress(address, pageOrigin)
        : isRequest || op.startsWith("navigation.")
        ? scrubAddress(address, pageOrigin)
        : scrubText(address, pageOrigin),
      ...(isRecord(payload.data) && { data: scrubAddresses(payload.data, pageOrigin) }),
    });
  }
  return entry;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withPayload<E extends RecordingEntry>(entry: E, payload: E["data"]["payload"]): E {
  return { ...entry, data: { ...entry.data, payload } };
}

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? value as Fields : {};

const list = (value: unknown): Fields[] => Array.isArray(value) ? value.map(fields) : [];
