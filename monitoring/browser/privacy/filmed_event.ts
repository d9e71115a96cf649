import { resourceAddress, scrubAddress } from "./address.ts";

/*
 * What the recorder films (rrweb's events; types and sources as in its `EventType` and
 * `IncrementalSource`):
 *
 *   4 Meta          data.href
 *   2 FullSnapshot  data.node, a tree of nodes
 *   3 Incremental   data.source 0  Mutation            adds[].node, attributes[].attributes
 *                   data.source 5  Input               text
 *                   data.source 8  StyleSheetRule      adds[].rule, replace, replaceSync
 *                   data.source 13 StyleDeclaration    set.value
 *                   data.source 15 AdoptedStyleSheet   styles[].rules[].rule
 */

/** An event of the recorder, loosely: it is foreign data of many shapes. */
export interface FilmedEvent {
  type: number;
  data: unknown;
}

type Fields = Record<string, unknown>;

/**
 * Takes out of a filmed event the addresses that must not leave: queries, fragments, unknown paths, and where a
 * picture or medium comes from, in attributes and in styles; and the texts that the recorder's own
 * masking overlooks: hidden fields, and what a style shows. All other texts and attributes have been
 * masked before. Changes the event in place.
 *
 * @param pageOrigin such as "https://example.org"
 */
export function scrubFilmedEvent<E extends FilmedEvent>(event: E, pageOrigin: string): E {
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

/** Where pictures, media and frames come from. */
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

/** Changed properties: a value, or a value and its priority. */
function scrubStyleDiff(style: Fields): void {
  for (const [property, value] of Object.entries(style)) {
    if (Array.isArray(value)) scrubValueIn(fields(value), "0", property);
    else scrubValueIn(style, property, property);
  }
}

function scrubStyleIn(holder: Fields, key: string): void {
  const value = holder[key];
  if (typeof value === "string") holder[key] = withoutUrls(value).replace(SHOWN, withoutTexts);
}

/** The value of one property; it stands in `holder` under `key`. */
function scrubValueIn(holder: Fields, key: string, property: string): void {
  scrubStyleIn(holder, key);
  const value = holder[key];
  if (typeof value === "string" && /^(?:content$|--)/i.test(property)) {
    holder[key] = withoutTexts(value);
  }
}

/** What a style shows as text: `content`, also by way of a custom property. */
const SHOWN = /(?:\bcontent|--[\w-]+)\s*:(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^;}"'])*/gis;

/** Values of style properties whose quoted strings are masked. */
function withoutTexts(css: string): string {
  return css.replace(
    /(["'])((?:(?!\1)[^\\]|\\.)*)\1/gs,
    (_all, quote, text) => quote + masked(text) + quote,
  );
}

const masked = (text: string) => text.replace(/\S/g, "*");

/** Style text whose `url(…)`, `image-set("…")` and `@import "…"` name nothing any more. */
function withoutUrls(css: string): string {
  return css
    .replace(/url\(\s*(?:"[^"]*"|'[^']*'|[^)]*)\s*\)/gi, "url()")
    .replace(/(@import\s+|image-set\(\s*)(?:"[^"]*"|'[^']*')/gi, '$1""');
}

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? value as Fields : {};

const list = (value: unknown): Fields[] => Array.isArray(value) ? value.map(fields) : [];
