import { at, listOf } from "../../json.ts";
import type { RecordedEvent } from "../recording.ts";
import { readTexts, type SentText, type TakeText, type TextKind } from "./sent_text.ts";

/*
 * Texts in rrweb's events (types and sources as in its `EventType` and `IncrementalSource`):
 *
 *   4 Meta          data.href
 *   2 FullSnapshot  data.node, a tree of nodes
 *   3 Incremental   data.source 0   adds[].node, texts[].value, attributes[].attributes
 *                   data.source 5   text, of an input
 *                   others          styles, drawings on a canvas, fonts
 *   5 Custom        data.payload: breadcrumbs and spans of Sentry's SDK
 */
const [FULL_SNAPSHOT, INCREMENTAL, META, CUSTOM] = [2, 3, 4, 5];
const [MUTATION, INPUT] = [0, 5];
/** Incremental sources with rules and declarations of style sheets. */
const STYLES: ReadonlySet<unknown> = new Set([8, 13, 15]);
/** rrweb's `NodeType`. */
const [ELEMENT, TEXT, CDATA, COMMENT] = [2, 3, 4, 5];

/** Whose content the SDK's `blockAllMedia` replaces by a box. */
export const MEDIA_TAGS = words("img image svg video object picture embed map audio");
/** Show pictures or documents, too, and are blocked one by one. */
const OTHER_MEDIA_TAGS = words("canvas iframe source track");
/** Pictures without an address: the element itself is what was recorded. */
const DRAWN_TAGS = words("svg canvas");
const FIELD_TAGS = words("input textarea select option");
const SOURCES = words("src srcset poster data href xlink:href rr_src rr_dataurl background");
const ADDRESSES = words("href xlink:href src action formaction ping cite manifest");
/** Attributes that determine how an element looks and behaves: they are not read by people. */
const STRUCTURAL = words(`
  id class type rel role lang dir for form name tabindex hidden inert popover open part slot
  disabled checked selected readonly required multiple contenteditable autocomplete nonce
  autofocus spellcheck draggable loading decoding async defer crossorigin integrity media
  colspan rowspan span scope rows cols size sizes width height charset target method min max
  step minlength maxlength accept enctype novalidate xmlns xmlns:xlink version x y cx cy r rx ry
  x1 x2 y1 y2 d points viewbox fill stroke transform opacity offset preserveaspectratio
  aria-hidden aria-expanded aria-selected aria-checked aria-pressed aria-disabled aria-live
  aria-busy aria-sort aria-controls aria-labelledby aria-describedby aria-modal aria-current
  aria-haspopup aria-orientation aria-invalid aria-owns aria-level aria-atomic rr_width
  rr_height rr_mediastate http-equiv property itemprop
`);

/** An element of the recorded page, as far as selectors need it. */
interface Element {
  readonly tag: string;
  /** As recorded, later changes included. */
  readonly attributes: Record<string, unknown>;
  readonly parent: unknown;
}

/** Reads the texts of a recording, event by event, in the order as recorded. Untrusted: nothing here throws. */
export class RecordedPage {
  readonly #elements = new Map<unknown, Element>();
  readonly #parents = new Map<unknown, unknown>();

  /** @param take called with each text as it was recorded */
  readEvent({ type, timestamp, data }: RecordedEvent, take: TakeText): void {
    const common = { item: "replay_recording", at: timestamp } as const;
    const rest = (kind: TextKind) => readTexts(data, { ...common, kind }, take);
    switch (type) {
      case FULL_SNAPSHOT:
        this.#elements.clear();
        this.#parents.clear();
        return this.#readNode(at(data, "node"), null, common, take);
      case META: {
        const text = at(data, "href");
        const place = () => "the page's address";
        if (typeof text === "string") take({ ...common, kind: "address", name: "", text, place });
        return;
      }
      case INCREMENTAL: {
        const source = at(data, "source");
        if (source === MUTATION) return this.#readMutation(data, common, take);
        if (source === INPUT) return this.#readInput(data, common, take);
        return rest(STYLES.has(source) ? "style" : "other");
      }
      case CUSTOM: {
        const tag = at(data, "tag");
        return rest(
          tag === "breadcrumb" ? "breadcrumb" : tag === "performanceSpan" ? "span" : "other",
        );
      }
      default:
        return rest("other");
    }
  }

  #readNode(root: unknown, parent: unknown, common: Common, take: TakeText): void {
    // Not recursive: a recording can be nested more deeply than the stack allows.
    const open = [{ node: root, parent }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { node, parent } = next;
      const id = at(node, "id");
      const type = at(node, "type");
      this.#parents.set(id, parent);
      if (type === ELEMENT) {
        const attributes = { ...fieldsOf(at(node, "attributes")) };
        const tag = String(at(node, "tagName") ?? "").toLowerCase();
        this.#elements.set(id, { tag, attributes, parent });
        // Nothing of it was recorded if it was blocked: then it has a size instead.
        if (DRAWN_TAGS.has(tag) && !("rr_width" in attributes)) {
          const place = () => this.#selector(id);
          take({ ...common, tag, kind: "media", name: "", text: `<${tag}>`, place });
        }
        this.#readAttributes(id, attributes, common, take);
      } else if (type === TEXT || type === CDATA || type === COMMENT) {
        const isRead = type !== COMMENT;
        this.#takeText(id, at(node, "textContent"), isRead, common, take);
      }
      const children = listOf(at(node, "childNodes"));
      for (let index = children.length - 1; index >= 0; index--) {
        open.push({ node: children[index], parent: id });
      }
    }
  }

  #readAttributes(id: unknown, attributes: Fields, common: Common, take: TakeText): void {
    const { tag = "", attributes: known = {} } = this.#elements.get(id) ?? {};
    const place = () => this.#selector(id);
    for (const [attribute, value] of Object.entries(attributes)) {
      const name = attribute.toLowerCase();
      const kind = attributeKind(tag, name);
      // A changed style is an object of its properties.
      if (typeof value === "object") readTexts(value, { ...common, kind: "style" }, take);
      if (typeof value !== "string" || value === "") continue;
      const type = kind === "input" ? String(at(known, "type") ?? "text") : name;
      take({ ...common, kind, tag, name: type, text: value, place });
    }
  }

  #readMutation(data: unknown, common: Common, take: TakeText): void {
    for (const add of listOf(at(data, "adds"))) {
      this.#readNode(at(add, "node"), at(add, "parentId"), common, take);
    }
    for (const change of listOf(at(data, "texts"))) {
      this.#takeText(at(change, "id"), at(change, "value"), true, common, take);
    }
    for (const change of listOf(at(data, "attributes"))) {
      const id = at(change, "id");
      const changed = fieldsOf(at(change, "attributes"));
      Object.assign(this.#elements.get(id)?.attributes ?? {}, changed);
      this.#readAttributes(id, changed, common, take);
    }
  }

  #readInput(data: unknown, common: Common, take: TakeText): void {
    const [id, text] = [at(data, "id"), at(data, "text")];
    if (typeof text !== "string") return;
    const { tag = "input", attributes = {} } = this.#elements.get(id) ?? {};
    const name = String(at(attributes, "type") ?? "text");
    take({ ...common, kind: "input", tag, name, text, place: () => this.#selector(id) });
  }

  /** @param isRead false: a comment */
  #takeText(id: unknown, text: unknown, isRead: boolean, common: Common, take: TakeText): void {
    if (typeof text !== "string" || text === "") return;
    const parent = this.#parents.get(id);
    const { tag = "" } = this.#elements.get(parent) ?? {};
    const kind = tag === "style" ? "style" : isRead && tag !== "script" ? "text" : "other";
    take({ ...common, kind, tag, name: "", text, place: () => this.#selector(parent) });
  }

  /** A selector that matches the element, possibly others too: up to the nearest id. */
  #selector(id: unknown): string {
    const parts: string[] = [];
    let element = this.#elements.get(id);
    // Bounded, because parents of a hostile recording may form a ring.
    while (element && parts.length < MAX_SELECTOR_PARTS) {
      const part = selectorPart(element);
      parts.unshift(part);
      if (part.includes("#")) break;
      element = this.#elements.get(element.parent);
    }
    return parts.join(" > ") || "(an element that was not recorded)";
  }
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

type Common = Pick<SentText, "item" | "at">;
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? value as Fields : {};

function attributeKind(tag: string, name: string): TextKind {
  if (name === "value" && FIELD_TAGS.has(tag)) return "input";
  if (name === "style" || name === "_csstext") return "style";
  const isMedia = MEDIA_TAGS.has(tag) || OTHER_MEDIA_TAGS.has(tag);
  if (SOURCES.has(name) && (isMedia || name === "background")) return "media";
  if (ADDRESSES.has(name)) return "address";
  return STRUCTURAL.has(name) ? "other" : "attribute";
}

const MAX_SELECTOR_PARTS = 4;
const MAX_CLASSES = 2;
/** An id or class that needs no escape in a selector. */
const IDENTIFIER = /^[a-z_][\w-]{0,60}$/i;

function selectorPart({ tag, attributes }: Element): string {
  const name = IDENTIFIER.test(tag) ? tag : "*";
  const { id, class: classes } = attributes;
  if (typeof id === "string" && IDENTIFIER.test(id)) return `${name}#${id}`;
  const field = attributes.name;
  if (typeof field === "string" && IDENTIFIER.test(field)) return `${name}[name="${field}"]`;
  const list = typeof classes === "string" ? classes.slice(0, 500).split(/\s+/) : [];
  const shown = list.filter((one) => IDENTIFIER.test(one)).slice(0, MAX_CLASSES);
  return [name, ...shown].join(".");
}
