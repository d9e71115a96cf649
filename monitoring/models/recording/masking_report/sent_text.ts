import { tryReadEnvelope } from "../../../protocol/scanner.ts";
import { at, parseJson, timeAt } from "../../json.ts";

/** What a text is: in the recorded page, or beside it. `other`: parts that people do not read, such as ids. */
export const TEXT_KINDS = [
  "text",
  "input",
  "attribute",
  "media",
  "address",
  "style",
  "other",
  "breadcrumb",
  "span",
  "log",
  "event",
] as const;

export type TextKind = (typeof TEXT_KINDS)[number];

/** A text that an application has sent, as it was sent, and where. Untrusted. */
export interface SentText {
  readonly kind: TextKind;
  /** Empty: what the recorder has blocked. */
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

/** What {@linkcode readEnvelopeTexts} finds besides texts. */
interface EnvelopeFacts {
  /** The SDK that made it, such as `sentry.javascript.browser`; null: not sent. */
  readonly sdk: string | null;
  /** Items of which nothing was read: binary, such as videos, or not readable. */
  readonly unread: number;
}

/** Read as recordings, see `recorded_page.ts`. */
const RECORDING = "replay_recording";
/** Contain binary data only. */
const BINARY: ReadonlySet<string> = new Set(["replay_video", "profile"]);
/** Bytes of an item that is not JSON, such as an attached file, that are read as a text. */
const MAX_PLAIN_BYTES = 1024 * 1024;

/**
 * Reads every text of an envelope but those of recorded pages. Never throws.
 *
 * @param bytes decompressed
 */
export function readEnvelopeTexts(bytes: Uint8Array, take: TakeText): EnvelopeFacts {
  const envelope = tryReadEnvelope(bytes);
  if (envelope === undefined) return { sdk: null, unread: 1 };
  const { header, items } = envelope;
  let sdk = at(header, "sdk", "name");
  let unread = 0;
  readTexts(header, { kind: "event", item: "envelope header", at: null }, take);
  for (const { header: { type }, payload } of items) {
    if (type === RECORDING) continue;
    const json = BINARY.has(type) ? undefined : parseJson(payload);
    const common = { kind: KIND_OF_ITEM.get(type) ?? "event", item: type, at: null } as const;
    if (json !== undefined) readTexts(json, common, take);
    else if (isText(payload)) {
      const text = new TextDecoder().decode(payload);
      take({ ...common, text, name: type, place: () => type });
    } else unread++;
    sdk ??= at(json, "sdk", "name");
  }
  return { sdk: typeof sdk === "string" ? sdk : null, unread };
}

const KIND_OF_ITEM: ReadonlyMap<string, TextKind> = new Map([
  ["span", "span"],
  ["transaction", "span"],
  ["log", "log"],
]);

function isText(payload: Uint8Array): boolean {
  return payload.byteLength <= MAX_PLAIN_BYTES && !payload.includes(0);
}

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
