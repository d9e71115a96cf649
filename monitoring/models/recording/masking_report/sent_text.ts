import { tryReadEnvelope } from "../../../protocol/scanner.ts";
import { parseJson, timeAt } from "../../json.ts";

/** What a text is: in the recorded page, or beside it. `other`: parts that people do not read, such as ids. */
export type TextKind =
  | "text"
  | "input"
  | "attribute"
  | "media"
  | "address"
  | "style"
  | "other"
  | "breadcrumb"
  | "span"
  | "log"
  | "event";

/** A text that an application has sent, as it was sent, and where. Untrusted. */
export interface SentText {
  readonly kind: TextKind;
  readonly text: string;
  /** Milliseconds since 1970; null: not known. */
  readonly at: number | null;
  /** Type of the envelope's item: `replay_recording` and others. */
  readonly item: string;
  /** Element of the recorded page; undefined: the text is not of an element. */
  readonly tag?: string;
  /** The attribute; of an input its type; else the key in the item. */
  readonly name: string;
  /** Selector of the element, or path in the item. Not computed in advance: most texts are never shown. */
  readonly place: () => string;
}

export type TakeText = (sent: SentText) => void;

/** Read as recordings, see `recorded_page.ts`. */
const RECORDING = "replay_recording";
/**
 * Reads every text of an envelope but those of recorded pages. Never throws.
 *
 * @param bytes decompressed
 * @returns items of which nothing was read, as they are not JSON: videos, attached files
 */
export function readEnvelopeTexts(bytes: Uint8Array, take: TakeText): number {
  const envelope = tryReadEnvelope(bytes);
  if (envelope === undefined) return 1;
  readTexts(envelope.header, { kind: "event", item: "envelope header", at: null }, take);
  let unread = 0;
  for (const { header: { type }, payload } of envelope.items) {
    if (type === RECORDING) continue;
    const json = parseJson(payload);
    if (json === undefined) unread++;
    else readTexts(json, { kind: KIND_OF_ITEM.get(type) ?? "event", item: type, at: null }, take);
  }
  return unread;
}

const KIND_OF_ITEM: ReadonlyMap<string, TextKind> = new Map([
  ["span", "span"],
  ["transaction", "span"],
  ["log", "log"],
]);

/** A key on the way to a text. */
interface Path {
  readonly key: string | number;
  readonly parent: Path | undefined;
}

/** Keys of a path that are written, and characters of each. */
const MAX_PATH_KEYS = 12;
const MAX_KEY = 60;
/** A key that code has chosen. Others, such as addresses, may be data. */
const NAME = /^[\w.$-]{1,60}$/;

/**
 * Reads every text in JSON of any depth: the values, and keys that are not plain names. Texts below `breadcrumbs` are
 * of that kind.
 *
 * @param common of all texts. If its time is null, each has the time of the nearest `timestamp`
 */
export function readTexts(
  json: unknown,
  common: Pick<SentText, "kind" | "item" | "at">,
  take: TakeText,
): void {
  // Not recursive: JSON can be nested more deeply than the stack allows.
  const open: { value: unknown; path: Path | undefined; kind: TextKind; at: number | null }[] = [
    { value: json, path: undefined, kind: common.kind, at: common.at },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, kind, at } = next;
    if (typeof value === "string") {
      const name = nameOf(path);
      take({ ...common, kind, at, text: value, name, place: () => pathText(path) });
    }
    if (typeof value !== "object" || value === null) continue;
    const time = common.at ?? timeAt(value, "timestamp") ?? timeAt(value, "start_timestamp") ?? at;
    const isList = Array.isArray(value);
    const keys = isList ? value.keys() : Object.keys(value);
    // In reverse, because the last one that is added is read first.
    for (const key of [...keys].reverse()) {
      const child = (value as Record<string | number, unknown>)[key];
      if (!isList && !NAME.test(String(key))) {
        const text = String(key);
        take({ ...common, kind, at: time, text, name: "key", place: () => pathText(path) });
      }
      if (typeof child !== "string" && (typeof child !== "object" || child === null)) continue;
      const childKind = key === "breadcrumbs" ? "breadcrumb" : kind;
      open.push({ value: child, path: { key, parent: path }, kind: childKind, at: time });
    }
  }
}

/** The last key that is a name. OpenTelemetry's attributes are `{"KEY":{"value":…}}`. */
function nameOf(path: Path | undefined): string {
  let part = path;
  while (part && (typeof part.key === "number" || part.key === "value")) part = part.parent;
  return part === undefined ? "" : String(part.key);
}

function pathText(path: Path | undefined): string {
  const keys: string[] = [];
  let part = path;
  for (; part && keys.length < MAX_PATH_KEYS; part = part.parent) {
    const { key } = part;
    keys.unshift(typeof key === "number" ? `[${key}]` : `.${key.slice(0, MAX_KEY)}`);
  }
  const text = keys.join("");
  return part === undefined ? text.replace(/^\./, "") : `…${text}`;
}
