import { at, booleanAt } from "../../json.ts";
import type { RecordedEvent } from "../recording.ts";
import {
  isPlausible,
  type RecorderSettings,
  settingFor,
  type TextPlace,
} from "./masking_setting.ts";
import { findPersonalData, MAX_SEARCHED, type PersonalKind } from "./personal_data.ts";
import { RecordedPage } from "./recorded_page.ts";
import { readEnvelopeTexts, type SentText, TEXT_KINDS, type TextKind } from "./sent_text.ts";
import { WantedTexts } from "./wanted_texts.ts";

/** Where a text was found, for display. Untrusted. */
export interface Finding {
  readonly kind: TextKind;
  /** Type of the envelope's item. */
  readonly item: string;
  /** The attribute or the key; may be empty. */
  readonly name: string;
  /** Selector of the element, or path in the item. */
  readonly place: string;
  /** The text in which it was found, shortened. */
  readonly excerpt: string;
  /** Of the first time, milliseconds since 1970; null: not known. */
  readonly at: number | null;
  /** Envelope that contains it; null: the recording. */
  readonly envelope: number | null;
  /** The option that would mask it. */
  readonly setting: string;
  readonly count: number;
}

export interface PersonalFinding extends Finding {
  readonly what: PersonalKind;
  readonly value: string;
}

/** Of one kind of text: how many are readable, how many masked. */
export interface KindCount {
  readonly kind: TextKind;
  readonly readable: number;
  /** Different readable texts, at most {@linkcode MAX_DISTINCT}. */
  readonly distinct: number;
  readonly masked: number;
  /** The first readable texts, each once. */
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly text: string;
  readonly at: number | null;
  readonly place: string;
}

/** What a visit has sent. All texts are untrusted. */
export interface MaskingResult {
  /** Kinds that occur, in the order of {@linkcode TEXT_KINDS}. */
  readonly counts: readonly KindCount[];
  readonly settings: RecorderSettings;
  readonly personal: readonly PersonalFinding[];
  /** For each text that was searched for, in their order. */
  readonly wanted: readonly { readonly text: string; readonly findings: readonly Finding[] }[];
  /** Findings over {@linkcode MAX_FINDINGS}. */
  readonly omitted: number;
  /** Texts that were searched for personal data only in their first {@linkcode MAX_SEARCHED} characters. */
  readonly cut: number;
  /** Items that could not be read. */
  readonly unread: number;
}

/** Findings in different places. More than a person reads. */
export const MAX_FINDINGS = 300;
/** Different texts of one kind that are counted. */
const MAX_DISTINCT = 20_000;
const MAX_SAMPLES = 20;
/** Characters. */
const MAX_EXCERPT = 160;
const MAX_PLACE = 300;

/** Finds out what the texts of a visit contain, from its recording and its envelopes, one after the other. */
export class MaskingReport {
  readonly #page = new RecordedPage();
  readonly #wanted: WantedTexts;
  readonly #kinds = new Map<TextKind, Mutable<KindCount> & { readonly texts: Set<string> }>();
  readonly #findings = new Map<string, Mutable<Found>>();
  #settings: RecorderSettings = {};
  #omitted = 0;
  #cut = 0;
  #unread = 0;

  /** @param wanted texts that must not occur */
  constructor(wanted: readonly string[] = []) {
    this.#wanted = new WantedTexts(wanted);
  }

  /** The next event of the recording, in the order as recorded. */
  addEvent(event: RecordedEvent): void {
    if (at(event.data, "tag") === "options") {
      const option = (name: string) => booleanAt(event.data, "payload", name) ?? undefined;
      this.#settings = {
        maskAllText: option("maskAllText"),
        maskAllInputs: option("maskAllInputs"),
        blockAllMedia: option("blockAllMedia"),
      };
    }
    this.#page.readEvent(event, (sent) => this.#add(sent, null, "sentry.javascript"));
  }

  /**
   * An envelope of the visit. Of its recording nothing is read.
   *
   * @param id of its row
   * @param bytes decompressed
   */
  addEnvelope(id: number, bytes: Uint8Array): void {
    // The name of the SDK may come after the texts.
    const texts: SentText[] = [];
    const { sdk, unread } = readEnvelopeTexts(bytes, (sent) => void texts.push(sent));
    this.#unread += unread;
    for (const sent of texts) this.#add(sent, id, sdk);
  }

  #add(sent: SentText, envelope: number | null, sdk: string | null): void {
    const { text } = sent;
    const isMasked = isMaskedText(sent);
    this.#count(sent, isMasked);
    for (const wanted of this.#wanted.in(text)) {
      this.#addFinding({ wanted, value: this.#wanted.texts[wanted]! }, sent, envelope, sdk);
    }
    if (text.length > MAX_SEARCHED) this.#cut++;
    for (const { what, value } of findPersonalData(text)) {
      if (isPlausible(what, sent)) this.#addFinding({ what, value }, sent, envelope, sdk);
    }
  }

  #count(sent: SentText, isMasked: boolean): void {
    const { kind, text } = sent;
    // Dashes and arrows are not readable text.
    if (!isMasked && !READABLE.test(text)) return;
    let count = this.#kinds.get(kind);
    if (count === undefined) {
      count = { kind, readable: 0, distinct: 0, masked: 0, samples: [], texts: new Set() };
      this.#kinds.set(kind, count);
    }
    if (isMasked) {
      count.masked++;
      return;
    }
    count.readable++;
    if (count.texts.has(text) || count.texts.size >= MAX_DISTINCT) return;
    count.texts.add(text);
    if (count.samples.length >= MAX_SAMPLES) return;
    const place = sent.place().slice(0, MAX_PLACE);
    count.samples = [...count.samples, { text: excerptOf(text, ""), at: sent.at, place }];
  }

  #addFinding(
    { wanted, what, value }: Pick<Found, "wanted" | "what" | "value">,
    sent: SentText,
    envelope: number | null,
    sdk: string | null,
  ): void {
    const { kind, item, name, tag } = sent;
    const place = sent.place().slice(0, MAX_PLACE);
    // The same key of other entries of a list is the same place.
    const where = place.replace(/\[\d+\]/g, "[]");
    // While a person types, each letter makes another value: the last one is shown.
    const isTyped = kind === "input" && wanted === undefined;
    const key = JSON.stringify([wanted ?? what, isTyped || value, kind, item, name, where]);
    const known = this.#findings.get(key);
    if (known) {
      known.count++;
      known.value = value;
      return;
    }
    if (this.#findings.size >= MAX_FINDINGS) {
      this.#omitted++;
      return;
    }
    const excerpt = excerptOf(sent.text, value);
    this.#findings.set(key, {
      ...{ wanted, what, value, kind, item, name, tag, place, excerpt, envelope, sdk },
      at: sent.at,
      count: 1,
    });
  }

  result(): MaskingResult {
    // The recorder's settings may be recorded after the page.
    const findings = [...this.#findings.values()].map((found) => ({
      ...found,
      setting: settingFor(found, found.sdk, this.#settings),
    }));
    return {
      counts: TEXT_KINDS.flatMap((kind) => {
        const found = this.#kinds.get(kind);
        if (found === undefined) return [];
        const { texts, ...count } = found;
        return [{ ...count, distinct: texts.size }];
      }),
      settings: this.#settings,
      personal: findings.flatMap(({ what, ...found }) =>
        what === undefined ? [] : [{ ...found, what }]
      ),
      wanted: this.#wanted.texts.map((text, index) => ({
        text,
        findings: findings.filter(({ wanted }) => wanted === index),
      })),
      omitted: this.#omitted,
      cut: this.#cut,
      unread: this.#unread,
    };
  }
}

interface Found extends Omit<Finding, "setting">, TextPlace {
  readonly sdk: string | null;
  /** Index of the text that was searched for. */
  readonly wanted?: number | undefined;
  readonly what?: PersonalKind | undefined;
  readonly value: string;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const READABLE = /[\p{L}\p{N}]/u;
/** What remains of a masked text: asterisks of Sentry's SDK, or the bullets that others write. */
const MASK = /\*|[•●█]{2}/;
/** What is written in place of a part of an address, or of a value by Sentry's data scrubbing. */
const PLACEHOLDER = /<unknown>|\[Filtered\]|\[REDACTED\]/i;

function isMaskedText({ kind, text }: SentText): boolean {
  // The recorder has blocked an element. Inputs and attributes may be empty.
  if (text === "") return kind === "media" || kind === "text";
  if (READABLE.test(text)) return PLACEHOLDER.test(text);
  return MASK.test(text);
}

/** The part of a text with the value, in one line. */
function excerptOf(text: string, value: string): string {
  const start = Math.max(0, text.toLowerCase().indexOf(value.toLowerCase()) - MAX_EXCERPT / 4);
  const part = text.slice(start, start + MAX_EXCERPT).toWellFormed().replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_EXCERPT < text.length ? "…" : ""}`;
}
