import { at, booleanAt } from "../../json.ts";
import type { RecordedEvent } from "../recording.ts";
import { isPlausible, type RecorderSettings, settingFor } from "./masking_setting.ts";
import {
  findPersonalData,
  MAX_SEARCHED,
  type PersonalKind,
  withoutEscapes,
} from "./personal_data.ts";
import { RecordedPage } from "./recorded_page.ts";
import { readEnvelopeTexts, type SentText, type TextKind } from "./sent_text.ts";

/** A text that looks like personal data, or one that was searched for, and where it was found. Untrusted. */
export interface Finding extends Pick<SentText, "kind" | "item" | "name" | "at"> {
  /** What it looks like; undefined: it was searched for. */
  readonly what?: PersonalKind | undefined;
  readonly value: string;
  /** The text in which it was found, shortened. */
  readonly excerpt: string;
  /** Selector of the element, or path in the item. */
  readonly place: string;
  /** Envelope that contains it; null: the recording. */
  readonly envelope: number | null;
  /** The option that would mask it. */
  readonly setting: string;
}

/** Readable texts of one kind. */
export interface Readable {
  /** How many there are, each time counted. */
  count: number;
  /** The first different ones. */
  readonly samples: Pick<Finding, "excerpt" | "at" | "place">[];
}

/** Findings in different places. More than a person reads. */
export const MAX_FINDINGS = 300;
const MAX_SAMPLES = 20;
/** Characters. */
const MAX_EXCERPT = 160;
const MAX_PLACE = 300;
/** Shorter texts are in too many words. */
export const MIN_WANTED = 3;
/** More texts than a person types. */
const MAX_WANTED = 50;

/** The texts to search for in what a person has typed: one in each line, each once. */
export function readWanted(typed: string): { readonly texts: string[]; readonly tooShort: number } {
  const lines = [...new Set(typed.split("\n").map((line) => line.trim()).filter(Boolean))];
  const texts = lines.filter(({ length }) => length >= MIN_WANTED);
  return { texts: texts.slice(0, MAX_WANTED), tooShort: lines.length - texts.length };
}

/** Finds out what the texts of a visit contain, from its recording and its envelopes, one after the other. */
export class MaskingReport {
  readonly #page = new RecordedPage();
  readonly #wanted: readonly string[];
  readonly #findings = new Map<string, Omit<Finding, "setting"> & Pick<SentText, "tag">>();
  /** Texts of the recorded page that are readable. */
  readonly readable = new Map<TextKind, Readable>();
  /** How the recorder was set, as far as the recording says so. */
  settings: RecorderSettings = {};
  /** Findings over {@linkcode MAX_FINDINGS}. */
  omitted = 0;
  /** Texts that were searched for personal data only in their first {@linkcode MAX_SEARCHED} characters. */
  cut = 0;
  /** Items that could not be read. */
  unread = 0;

  /** @param wanted texts that must not occur */
  constructor(readonly wanted: readonly string[] = []) {
    this.#wanted = wanted.map(plain);
  }

  /** The next event of the recording, in the order as recorded. */
  addEvent(event: RecordedEvent): void {
    if (at(event.data, "tag") === "options") {
      const option = (name: string) => booleanAt(event.data, "payload", name) ?? undefined;
      this.settings = {
        maskAllText: option("maskAllText"),
        maskAllInputs: option("maskAllInputs"),
        blockAllMedia: option("blockAllMedia"),
      };
    }
    this.#page.readEvent(event, (sent) => {
      this.#list(sent);
      this.#search(sent, null);
    });
  }

  /**
   * An envelope of the visit. Of its recording nothing is read.
   *
   * @param id of its row
   * @param bytes decompressed
   */
  addEnvelope(id: number, bytes: Uint8Array): void {
    this.unread += readEnvelopeTexts(bytes, (sent) => this.#search(sent, id));
  }

  /** What was found, in the order of the first time. The recorder's settings may be recorded after it. */
  findings(): readonly Finding[] {
    return [...this.#findings.values()].map((found) => ({
      ...found,
      setting: settingFor(found, this.settings),
    }));
  }

  #list(sent: SentText): void {
    const { kind, text, at } = sent;
    // Not masked texts, dashes and arrows.
    if (!/[\p{L}\p{N}]/u.test(text) || PLACEHOLDER.test(text)) return;
    const known = this.readable.get(kind) ?? { count: 0, samples: [] };
    this.readable.set(kind, known);
    known.count++;
    if (known.samples.length >= MAX_SAMPLES) return;
    const excerpt = excerptOf(text, "");
    if (known.samples.some((sample) => sample.excerpt === excerpt)) return;
    known.samples.push({ excerpt, at, place: sent.place().slice(0, MAX_PLACE) });
  }

  #search(sent: SentText, envelope: number | null): void {
    const { text } = sent;
    const forms = this.wanted.length > 0 ? formsOf(text) : [];
    for (const [index, value] of this.wanted.entries()) {
      if (forms.some((form) => form.includes(this.#wanted[index]!))) {
        this.#add({ value }, sent, envelope);
      }
    }
    if (text.length > MAX_SEARCHED) this.cut++;
    for (const found of findPersonalData(text)) {
      if (isPlausible(found.what, sent)) this.#add(found, sent, envelope);
    }
  }

  #add(
    { what, value }: { what?: PersonalKind; value: string },
    sent: SentText,
    envelope: number | null,
  ): void {
    const { kind, item, name, tag, at } = sent;
    const place = sent.place().slice(0, MAX_PLACE);
    // The same key of other entries of a list is the same place.
    const where = place.replace(/\[\d+\]/g, "[]");
    // While a person types, each letter makes another value: the last one is shown.
    const isTyped = kind === "input" && what !== undefined;
    const key = JSON.stringify([what, isTyped || value, kind, item, name, where]);
    const known = this.#findings.get(key);
    if (known) {
      this.#findings.set(key, { ...known, value });
    } else if (this.#findings.size >= MAX_FINDINGS) {
      this.omitted++;
    } else {
      const excerpt = excerptOf(sent.text, value);
      this.#findings.set(key, { what, value, kind, item, name, tag, at, place, excerpt, envelope });
    }
  }
}

/** What is written in place of a part of an address, or of a value by Sentry's data scrubbing. */
const PLACEHOLDER = /<unknown>|\[Filtered\]|\[REDACTED\]/i;

const plain = (text: string) => text.normalize().toLowerCase().replace(/\s+/g, " ");

/** A text in any case and with other blanks; of an address also without its escapes. */
function formsOf(text: string): string[] {
  const isEscaped = /[%+]/.test(text);
  return [
    plain(text),
    ...isEscaped
      ? [plain(withoutEscapes(text)), plain(withoutEscapes(text.replaceAll("+", " ")))]
      : [],
  ];
}

/** The part of a text with the value, in one line. */
function excerptOf(text: string, value: string): string {
  const start = Math.max(0, text.toLowerCase().indexOf(value.toLowerCase()) - MAX_EXCERPT / 4);
  const part = text.slice(start, start + MAX_EXCERPT).toWellFormed().replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_EXCERPT < text.length ? "…" : ""}`;
}
