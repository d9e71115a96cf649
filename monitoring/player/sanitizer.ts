import { allowedAttribute, allowedCss, allowedElement } from "./allowed_markup.ts";

/** An event as the replayer expects it, made of allowed parts only. */
export interface SafeEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: unknown;
}

export type Fields = Record<string, unknown>;

/** Elements within elements. Browsers' parsers allow 512; more could overflow the stack. */
const MAX_DEPTH = 512;
/** Shortest time between two positions of the pointer, in milliseconds: dense ones stall the replayer. */
const POINTER_MS = 25;
/** CSS pixels of a window. Larger ones would take gigabytes to paint. */
const MAX_SIZE = 10_000;

/** rrweb's `EventType`. */
const [FULL_SNAPSHOT, INCREMENTAL, META] = [2, 3, 4];
/** rrweb's `NodeType`. */
const [DOCUMENT, DOCTYPE, ELEMENT, TEXT, , COMMENT] = [0, 1, 2, 3, 4, 5];

/**
 * Copies what is allowed of recorded events. A recording is written by a stranger: anyone who may send telemetry
 * may send one. Copying, instead of removing what is known to be bad, leaves out what browsers and rrweb add later.
 */
export class Sanitizer {
  /** Ids of style elements: the text in them is CSS. */
  readonly #styles = new Set<number>();
  readonly #styleTexts = new Set<number>();

  /** The event; undefined: it has nothing to play. */
  event(event: unknown): SafeEvent | undefined {
    const { type, timestamp, data } = fieldsOf(event);
    if (typeof timestamp !== "number" || !Number.isFinite(timestamp)) return undefined;
    const safe = type === META
      ? size(fieldsOf(data))
      : type === FULL_SNAPSHOT
      ? this.#snapshot(fieldsOf(data))
      : type === INCREMENTAL
      ? this.#incremental(fieldsOf(data))
      : undefined;
    return safe && { type: type as number, timestamp, data: safe };
  }

  #snapshot({ node, initialOffset }: Fields): Fields | undefined {
    const tree = this.#node(fieldsOf(node), 0, false);
    if (tree?.type !== DOCUMENT) return undefined;
    const { left, top } = fieldsOf(initialOffset);
    return { node: tree, initialOffset: { left: numberOf(left), top: numberOf(top) } };
  }

  #node(node: Fields, depth: number, isInStyle: boolean): Fields | undefined {
    const { type, id, textContent } = node;
    if (!isId(id)) return undefined;
    const common = { type, id, ...node.isShadow === true && { isShadow: true } };
    switch (type) {
      case DOCUMENT:
        // A document in a frame has no place in this one. Without `compatMode`: rrweb would use `document.write`.
        if (depth > 0) return undefined;
        return { ...common, childNodes: this.#children(node, depth, false) };
      case DOCTYPE:
        return { ...common, name: "html", publicId: "", systemId: "" };
      case ELEMENT:
        return { ...common, ...this.#element(node, depth) };
      case TEXT: {
        const text = textOf(textContent);
        if (isInStyle) this.#styleTexts.add(id);
        return {
          ...common,
          textContent: isInStyle ? allowedCss(text) : text,
          ...isInStyle && { isStyle: true },
        };
      }
      case COMMENT:
        return { ...common, textContent: "" };
      default:
        return undefined;
    }
  }

  #element(node: Fields, depth: number): Fields {
    const recorded = textOf(node.tagName);
    // rrweb records the content of a style sheet with its link, now or later. A link itself could connect.
    const tagName = recorded.toLowerCase() === "link" ? "style" : recorded;
    const allowed = allowedElement(tagName);
    const isSVG = node.isSVG === true;
    const attributes = this.#attributes(fieldsOf(node.attributes));
    if (allowed !== "as recorded") {
      if (allowed === "hidden") attributes.hidden = "";
      else attributes["data-rr-blocked"] = "";
      delete attributes._cssText;
      // What such an element contains is not displayed, and may be a document.
      return { tagName: isSVG ? "g" : "div", attributes, childNodes: [], ...isSVG && { isSVG } };
    }
    // Links look like links, and lead nowhere.
    if (tagName === "a" && !isSVG && !("href" in attributes)) {
      if ("href" in fieldsOf(node.attributes)) attributes.href = "#";
    }
    if ("rr_width" in attributes) attributes["data-rr-blocked"] = "";
    const isStyle = tagName.toLowerCase() === "style";
    if (isStyle) this.#styles.add(node.id as number);
    return {
      tagName,
      attributes,
      childNodes: this.#children(node, depth, isStyle),
      ...isSVG && { isSVG },
      ...node.isShadowHost === true && { isShadowHost: true },
    };
  }

  #children(node: Fields, depth: number, isInStyle: boolean): Fields[] {
    if (depth >= MAX_DEPTH) return [];
    return fieldsIn(node.childNodes).map((child) => this.#node(child, depth + 1, isInStyle))
      .filter((child) => child !== undefined);
  }

  #attributes(recorded: Fields): Fields {
    const attributes: Fields = {};
    for (const [name, value] of Object.entries(recorded)) {
      const allowed = attribute(name, value);
      if (allowed !== undefined) attributes[name] = allowed;
    }
    return attributes;
  }

  #incremental(data: Fields): Fields | undefined {
    const { source } = data;
    const read = typeof source === "number" ? this.#readers.get(source) : undefined;
    const safe = read?.(data);
    return safe && { source, ...safe };
  }

  /** By rrweb's `IncrementalSource`. Left out: media, canvas, fonts, logs, definitions of elements. */
  readonly #readers: ReadonlyMap<number, (data: Fields) => Fields | undefined> = new Map([
    [0, (data: Fields) => this.#mutation(data)],
    [1, pointerMoves],
    [2, interaction],
    [3, (data: Fields) => isId(data.id) ? { id: data.id, ...point(data) } : undefined],
    [4, size],
    [5, input],
    [6, pointerMoves],
    [8, styleRules],
    [12, pointerMoves],
    [13, styleDeclaration],
    [14, selection],
    [15, adoptedStyles],
  ]);

  #mutation(data: Fields): Fields {
    return {
      texts: fieldsIn(data.texts).filter(({ id }) => isId(id)).map(({ id, value }) => ({
        id,
        value: this.#styleTexts.has(id as number) ? allowedCss(textOf(value)) : textOf(value),
      })),
      attributes: fieldsIn(data.attributes).filter(({ id }) => isId(id))
        .map(({ id, attributes }) => ({ id, attributes: this.#attributes(fieldsOf(attributes)) })),
      removes: fieldsIn(data.removes).filter(({ id, parentId }) => isId(id) && isId(parentId))
        .map(({ id, parentId, isShadow }) => ({
          id,
          parentId,
          ...isShadow === true && { isShadow },
        })),
      adds: fieldsIn(data.adds).flatMap(({ parentId, nextId, previousId, node }) => {
        // In a frame's document.
        if (!isId(parentId) || isId(fieldsOf(node).rootId)) return [];
        const safe = this.#node(fieldsOf(node), 1, this.#styles.has(parentId));
        return safe === undefined ? [] : [{
          parentId,
          nextId: isId(nextId) ? nextId : null,
          ...isId(previousId) && { previousId },
          node: safe,
        }];
      }),
    };
  }
}

/** Of a node or of a mutation, where null removes it and a style may be its changed properties. */
function attribute(name: string, value: unknown): unknown {
  if (name === "style" && typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([property, one]) => [
        property,
        Array.isArray(one)
          ? [allowedCss(textOf(one[0])), textOf(one[1])]
          : one === false
          ? false
          : allowedCss(textOf(one)),
      ]),
    );
  }
  if (name === "rr_width" || name === "rr_height") {
    return /^\d{1,6}(\.\d+)?px$/.test(textOf(value)) ? value : undefined;
  }
  if (name === "rr_scrollLeft" || name === "rr_scrollTop") {
    return typeof value === "number" ? value : undefined;
  }
  if (typeof value === "string" || typeof value === "number") {
    return allowedAttribute(name, String(value));
  }
  const isFlag = value === null || typeof value === "boolean";
  if (!isFlag || allowedAttribute(name, "") === undefined) return undefined;
  return value;
}

function pointerMoves({ positions }: Fields): Fields | undefined {
  const kept: Fields[] = [];
  let keptAt = -Infinity;
  let skipped: Fields | undefined;
  for (const { id, x, y, timeOffset } of fieldsIn(positions)) {
    if (!isId(id)) continue;
    const at = Math.min(0, numberOf(timeOffset));
    const position = { x: numberOf(x), y: numberOf(y), id, timeOffset: at };
    skipped = at - keptAt < POINTER_MS ? position : undefined;
    if (skipped) continue;
    kept.push(position);
    keptAt = at;
  }
  // The last one is where the pointer stays.
  if (skipped) kept.push(skipped);
  return kept.length === 0 ? undefined : { positions: kept };
}

function interaction({ type, id, pointerType, x, y }: Fields): Fields | undefined {
  if (!isId(id) || !isId(type) || type > 10) return undefined;
  return { type, id, ...point({ x, y }), ...isId(pointerType) && { pointerType } };
}

function input({ id, text, isChecked }: Fields): Fields | undefined {
  return isId(id) ? { id, text: textOf(text), isChecked: isChecked === true } : undefined;
}

function styleRules({ id, styleId, adds, removes, replace, replaceSync }: Fields): Fields {
  const text = replace ?? replaceSync;
  return {
    ...sheet({ id, styleId }),
    adds: fieldsIn(adds).map(rule),
    removes: fieldsIn(removes).map(({ index }) => ({ index: position(index) })),
    // At once, as changes of the new rules may follow.
    ...typeof text === "string" && { replaceSync: allowedCss(text) },
  };
}

function styleDeclaration({ id, styleId, index, set, remove }: Fields): Fields {
  const { property, value, priority } = fieldsOf(set);
  return {
    ...sheet({ id, styleId }),
    index: position(index),
    ...typeof property === "string" && {
      set: { property, value: allowedCss(textOf(value)), priority: textOf(priority) },
    },
    ...remove !== undefined && { remove: { property: textOf(fieldsOf(remove).property) } },
  };
}

function adoptedStyles({ id, styles, styleIds }: Fields): Fields {
  return {
    // The sheets of a component that is left out, which has no id, are sent only here; others may share them.
    id: isId(id) ? id : -1,
    styleIds: listOf(styleIds).filter(isId),
    ...Array.isArray(styles) && {
      styles: fieldsIn(styles).filter(({ styleId }) => isId(styleId))
        .map(({ styleId, rules }) => ({ styleId, rules: fieldsIn(rules).map(rule) })),
    },
  };
}

function selection({ ranges }: Fields): Fields {
  return {
    ranges: fieldsIn(ranges).map(({ start, startOffset, end, endOffset }) => ({
      start: numberOf(start),
      startOffset: numberOf(startOffset),
      end: numberOf(end),
      endOffset: numberOf(endOffset),
    })),
  };
}

const sheet = ({ id, styleId }: Fields) => ({
  ...isId(id) && { id },
  ...isId(styleId) && { styleId },
});
const rule = ({ rule, index }: Fields) => ({
  rule: allowedCss(textOf(rule)),
  ...index !== undefined && { index: position(index) },
});
/** An index, or the indexes of nested rules. */
const position = (index: unknown) =>
  Array.isArray(index) ? index.map(numberOf).slice(0, 50) : numberOf(index);
const point = ({ x, y }: Fields) => ({ x: numberOf(x), y: numberOf(y) });
const clamp = (length: unknown) => Math.min(MAX_SIZE, Math.max(1, numberOf(length)));
/** Also of a Meta event, whose address is not used. */
const size = ({ width, height }: Fields): Fields => ({
  href: "",
  width: clamp(width),
  height: clamp(height),
});

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : 0;
const textOf = (value: unknown) => typeof value === "string" ? value : "";
const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? value as Fields : {};
const fieldsIn = (value: unknown): Fields[] => listOf(value).map(fieldsOf);
