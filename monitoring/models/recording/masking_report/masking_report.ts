import { tryReadEnvelope } from "../../../protocol/scanner.ts";
import { at, parseJson, textAt } from "../../json.ts";
import type { RecordedEvent } from "../recording.ts";
import {
  findPersonalData,
  MAX_SEARCHED,
  type PersonalKind,
  withoutEscapes,
} from "./personal_data.ts";

/** A text that looks like personal data, or one that was searched for, and where it was found. Untrusted. */
export interface Finding {
  /** What it looks like; undefined: it was searched for. */
  readonly what?: PersonalKind | undefined;
  readonly value: string;
  /** The text in which it was found, shortened. */
  readonly excerpt: string;
  /** What contains it, and the names on the way to it: `page: <input>.value`, `log: items.body`. */
  readonly place: string;
  /** By the clock of the recorded page, milliseconds since 1970; null: not found in the recording. */
  readonly at: number | null;
  /** Envelope that contains it; null: the recording. */
  readonly envelope: number | null;
}

/** Findings in different places. More than a person reads. */
export const MAX_FINDINGS = 300;
/** Shorter texts are in too many words. */
export const MIN_WANTED = 3;
/** Characters. */
const MAX_EXCERPT = 160;
/** Names of a place, the last ones, and characters of each. */
const MAX_NAMES = 12;
const MAX_NAME = 60;

/** Where the walked JSON is from. */
type Origin = Pick<Finding, "at" | "envelope"> & {
  /** Of the recording its part, else the type of the item. */
  readonly part: string;
};

/** The last names on the way to a text, at most {@linkcode MAX_NAMES}. */
type Path = readonly string[];

/** Finds out what the texts of a session contain, from its recording and its envelopes, one after the other. */
export class MaskingReport {
  readonly #wanted: readonly { readonly text: string; readonly form: string }[];
  readonly #findings = new Map<string, Finding>();
  /** Findings over {@linkcode MAX_FINDINGS}. */
  omitted = 0;
  /** Texts that were searched for personal data only in their first {@linkcode MAX_SEARCHED} characters. */
  cut = 0;
  /** Items that are not JSON, of which at most plain text was read: videos, attached files. */
  unread = 0;

  /** @param wanted texts that must not occur. Those with fewer than {@linkcode MIN_WANTED} characters are ignored */
  constructor(readonly wanted: readonly string[] = []) {
    this.#wanted = wanted.filter(({ length }) => length >= MIN_WANTED)
      .map((text) => ({ text, form: plain(text) }));
  }

  /** In the order of the first time. */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  addEvent(event: RecordedEvent): void {
    this.#walk(event.data, { part: partOf(event), at: event.timestamp, envelope: null });
  }

  /** Reads an envelope of the session, except for its recording. @param id of its row. @param bytes decompressed */
  addEnvelope(id: number, bytes: Uint8Array): void {
    const envelope = tryReadEnvelope(bytes);
    if (envelope === undefined) return void this.unread++;
    this.#walk(envelope.header, { part: "envelope header", at: null, envelope: id });
    for (const { header: { type }, payload } of envelope.items) {
      if (type === "replay_recording") continue;
      const json = parseJson(payload);
      if (json === undefined) this.unread++;
      const origin = { part: type.slice(0, MAX_NAME), at: null, envelope: id };
      this.#walk(json ?? textIn(payload), origin);
    }
  }

  /** Searches every text and number in JSON of any depth: the values, and keys that are not plain names. */
  #walk(json: unknown, origin: Origin): void {
    // Not recursive: JSON can be nested more deeply than the stack allows.
    const open: { value: unknown; path: Path }[] = [{ value: json, path: [] }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value } = next;
      if (typeof value === "string") this.#search(value, next.path, origin);
      // Those of the page itself are ids, places and times.
      const isSent = origin.part !== "page" && origin.part !== INPUT;
      if (typeof value === "number" && isSent) this.#search(`${value}`, next.path, origin, true);
      if (typeof value !== "object" || value === null) continue;
      const tag = textAt(value, "tagName");
      // The path to a text of an element begins with the element.
      const path = tag === null ? next.path : [`<${tag}>`.slice(0, MAX_NAME)];
      // In reverse, because the last one that is added is read first.
      for (const [key, child] of Object.entries(value).reverse()) {
        const isUnnamed = Array.isArray(value) || UNNAMED.has(key);
        const inner = isUnnamed ? path : [...path, key.slice(0, MAX_NAME)].slice(-MAX_NAMES);
        // Others, such as addresses, may be data.
        if (!isUnnamed && !NAME.test(key)) this.#search(key, path, origin);
        open.push({ value: child, path: inner });
      }
    }
  }

  /** @param isWhole parts of it do not count: those of numbers are chance */
  #search(text: string, path: Path, origin: Origin, isWhole = false): void {
    const forms = this.#wanted.length > 0 ? formsOf(text) : [];
    for (const { text: value, form } of this.#wanted) {
      const isFound = isWhole ? text === form : forms.some((one) => one.includes(form));
      if (isFound) this.#add({ value }, text, path, origin);
    }
    if (isStyle(path)) return;
    if (text.length > MAX_SEARCHED) this.cut++;
    for (const found of findPersonalData(text)) {
      if (found.what === "long random text" && RANDOM_NAMES.test(nameOf(path))) continue;
      this.#add(found, text, path, origin);
    }
  }

  #add(
    { what, value }: Pick<Finding, "what" | "value">,
    text: string,
    path: Path,
    { part, at, envelope }: Origin,
  ): void {
    const place = path.length === 0 ? part : `${part}: ${path.join(".")}`;
    // While a person types, each letter makes another value: the last one is shown.
    const isTyped = part === INPUT && what !== undefined;
    const key = JSON.stringify([what, isTyped || value, place]);
    const known = this.#findings.get(key);
    if (known) this.#findings.set(key, { ...known, value });
    else if (this.#findings.size >= MAX_FINDINGS) this.omitted++;
    else {
      const excerpt = excerptOf(text, value);
      this.#findings.set(key, { what, value, excerpt, place, at, envelope });
    }
  }
}

const INPUT = "input";

/** The part of a recording that an event is of: types and sources as in rrweb's `EventType`, `IncrementalSource`. */
function partOf({ type, data }: RecordedEvent): string {
  // An entry of Sentry's SDK: breadcrumbs, spans.
  if (type === 5) return textAt(data, "tag")?.slice(0, MAX_NAME) ?? "entry";
  return type === 3 && at(data, "source") === 5 ? INPUT : "page";
}

/** Control characters except blanks, and bytes that are not UTF-8. */
const NO_TEXT = /(?:[^\P{Cc}\t\n\r]|\uFFFD){1,1000}/u;
/** Shorter runs of characters in binary data are mostly chance. */
const MIN_RUN = 12;

/** The text in data that is not JSON: of a file, or of JSON in MessagePack, without its escapes. */
function textIn(bytes: Uint8Array): string {
  const runs = new TextDecoder().decode(bytes).split(NO_TEXT);
  if (runs.length === 1) return runs[0]!;
  const text = runs.filter(({ length }) => length >= MIN_RUN).join("\n");
  return text.replace(/\\[bfnrt]/g, " ").replace(/\\(["\\/])/g, "$1");
}

/** Keys that a place does not name. */
const UNNAMED: ReadonlySet<string> = new Set(["childNodes", "attributes"]);

/** A key that code has chosen. */
const NAME = /^[\w.$-]{1,60}$/;

/** Whose values are long and random, and not secret: ids, hashes, versions, places in code. */
const RANDOM_NAMES =
  /(?:id|ids|class|for|controls|hash|digest|etag|nonce|key|release|dist|version|build|file|filename|path|module|function|transaction)$/i;

/** Full of numbers and encoded fonts. */
const STYLE_NAMES: ReadonlySet<unknown> = new Set(["<style>", "style", "_cssText", "rule"]);

const isStyle = (path: Path) => path.slice(-2).some((name) => STYLE_NAMES.has(name));

/** OpenTelemetry's attributes are `{"KEY":{"value":…}}`. */
const nameOf = (path: Path) => path.findLast((name) => name !== "value") ?? "";

const plain = (text: string) => text.normalize().toLowerCase().replace(/\s+/g, " ");

/** A text in any case and with other blanks; of an address also without its escapes. */
function formsOf(text: string): string[] {
  if (!/[%+]/.test(text)) return [plain(text)];
  return [text, withoutEscapes(text), withoutEscapes(text.replaceAll("+", " "))].map(plain);
}

/** The part of a text with the value, in one line. */
function excerptOf(text: string, value: string): string {
  const start = Math.max(0, text.toLowerCase().indexOf(value.toLowerCase()) - MAX_EXCERPT / 4);
  const part = text.slice(start, start + MAX_EXCERPT).toWellFormed().replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_EXCERPT < text.length ? "…" : ""}`;
}
