import type { PersonalKind } from "./personal_data.ts";
import { MEDIA_TAGS } from "./recorded_page.ts";
import type { SentText } from "./sent_text.ts";

/** How the recorder was set, from the recording itself; undefined: not known. */
export interface RecorderSettings {
  readonly maskAllText?: boolean | undefined;
  readonly maskAllInputs?: boolean | undefined;
  readonly blockAllMedia?: boolean | undefined;
}

/** The attributes that the SDK masks if `maskAttributes` is not set. Setting it replaces them. */
const MASKED_ATTRIBUTES = ["title", "placeholder", "aria-label"];
const NO_OPTION = "no option: change what the code shows or sends";

/**
 * The option that would mask or remove a text. Those of recordings are options of `replayIntegration`, see
 * https://docs.sentry.io/platforms/javascript/session-replay/privacy/. Those of other items are callbacks of
 * `Sentry.init`, in the spelling of JavaScript.
 *
 * @param settings an option that was on has not masked it: the element itself must be named
 */
export function settingFor(
  { kind, item, name, tag = "", place }: Pick<SentText, "kind" | "item" | "name" | "tag"> & {
    /** {@linkcode SentText.place} */
    readonly place: string;
  },
  settings: RecorderSettings,
): string {
  if (item !== "replay_recording") {
    return kind === "breadcrumb" ? "beforeBreadcrumb" : HOOKS.get(item) ?? NO_OPTION;
  }
  const block = `block: ['${place}']`;
  const mask = `mask: ['${place}']`;
  const or = (option: keyof RecorderSettings, other: string) =>
    settings[option] === true ? other : `${option}: true, or ${other}`;
  switch (kind) {
    case "text":
      return or("maskAllText", mask);
    case "input":
      // A button's label is a text.
      return or(name === "submit" || name === "button" ? "maskAllText" : "maskAllInputs", mask);
    case "attribute":
      return `maskAttributes: ${JSON.stringify([...new Set([...MASKED_ATTRIBUTES, name])])}`;
    case "media":
      return MEDIA_TAGS.has(tag) ? or("blockAllMedia", block) : block;
    case "breadcrumb":
    case "span":
      return "beforeAddRecordingEvent";
    default:
      return tag === "" ? NO_OPTION : block;
  }
}

/** The callback of each kind of item. */
const HOOKS: ReadonlyMap<string, string> = new Map([
  ["event", "beforeSend"],
  ["transaction", "beforeSendTransaction"],
  ["span", "beforeSendSpan"],
  ["log", "beforeSendLog"],
  ["replay_event", "addEventProcessor"],
]);

/** Kinds of keys whose values are long and random, and not secret: ids, hashes, versions, places in code. */
const RANDOM_NAMES =
  /(?:id|ids|hash|digest|etag|nonce|key|release|dist|version|build|file|filename|path|module|function|transaction)$/i;

/** Whether something that looks like personal data can be so in its place. Ids and hashes look random. */
export function isPlausible(
  what: PersonalKind,
  { kind, name }: Pick<SentText, "kind" | "name">,
): boolean {
  if (kind === "style") return false;
  return what !== "long random text" || (kind !== "other" && !RANDOM_NAMES.test(name));
}
