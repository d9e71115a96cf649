import type { PersonalKind } from "./personal_data.ts";
import { MEDIA_TAGS } from "./recorded_page.ts";
import type { SentText } from "./sent_text.ts";

/** How the recorder was set, from the recording itself; undefined: not known. */
export interface RecorderSettings {
  readonly maskAllText?: boolean | undefined;
  readonly maskAllInputs?: boolean | undefined;
  readonly blockAllMedia?: boolean | undefined;
}

/** A text, as far as the option depends on it. */
export interface TextPlace extends Pick<SentText, "kind" | "item" | "tag" | "name"> {
  /** {@linkcode SentText.place} */
  readonly place: string;
}

/** The attributes that the SDK masks if `maskAttributes` is not set. Setting it replaces them. */
const MASKED_ATTRIBUTES = ["title", "placeholder", "aria-label"];

/**
 * The option of the sender's SDK that would mask or remove a text. The options of recordings are those of
 * `replayIntegration`, see https://docs.sentry.io/platforms/javascript/session-replay/privacy/
 *
 * @param sdk that sent it, such as `sentry.python`; null: not known
 * @param settings an option that was on has not masked it: the element itself must be named
 */
export function settingFor(
  placed: TextPlace,
  sdk: string | null,
  settings: RecorderSettings,
): string {
  const { kind, item, name, tag = "", place } = placed;
  if (item !== "replay_recording") return hookFor(placed, sdk);
  const selector = `'${place}'`;
  const block = `block: [${selector}]`;
  const mask = `mask: [${selector}]`;
  const or = (option: keyof RecorderSettings, other: string) =>
    settings[option] === true ? other : `${option}: true, or ${other}`;
  switch (kind) {
    case "text":
      return or("maskAllText", mask);
    case "input":
      // A button's label is a text.
      return or(name === "submit" || name === "button" ? "maskAllText" : "maskAllInputs", mask);
    case "attribute": {
      const names = new Set([...MASKED_ATTRIBUTES, name]);
      return `maskAttributes: ${JSON.stringify([...names])}`;
    }
    case "media":
      return MEDIA_TAGS.has(tag) ? or("blockAllMedia", block) : block;
    case "address":
      return tag === "" ? NO_OPTION : block;
    case "breadcrumb":
    case "span":
      return /\.(?:request|response)\b/.test(place)
        ? "networkDetailAllowUrls without this address, or networkCaptureBodies: false"
        : "beforeAddRecordingEvent";
    default:
      return tag === "" ? NO_OPTION : block;
  }
}

const NO_OPTION = "no option: leave it out of the page itself";

/** The callback of each kind of item, as JavaScript spells it. */
const HOOKS: ReadonlyMap<string, string> = new Map([
  ["event", "beforeSend"],
  ["transaction", "beforeSendTransaction"],
  ["span", "beforeSendSpan"],
  ["log", "beforeSendLog"],
]);

function hookFor({ item, kind }: TextPlace, sdk: string | null): string {
  const hook = kind === "breadcrumb" ? "beforeBreadcrumb" : HOOKS.get(item);
  const family = /^sentry\.(\w+)/.exec(sdk ?? "")?.[1] ?? "";
  const isJavaScript = family === "javascript";
  if (hook === undefined || (hook === "beforeSendSpan" && !isJavaScript)) {
    return isJavaScript && item === "replay_event"
      ? "addEventProcessor"
      : "no option: change what the code sends";
  }
  const pascal = hook[0]!.toUpperCase() + hook.slice(1);
  if (family === "go") return pascal;
  if (family === "dotnet") return `Set${pascal}`;
  if (SNAKE_CASE.has(family)) return hook.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
  return family === "java" && item === "log" ? "logs.beforeSend" : hook;
}

/** SDKs that write options as `before_send`. */
const SNAKE_CASE: ReadonlySet<string> = new Set(["python", "ruby", "php", "elixir", "rust"]);

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
