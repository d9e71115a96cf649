/** From this character on, the text has these styles, separated by spaces; empty: none. */
export type StyleRun = readonly [at: number, styles: string];

interface PlainText {
  readonly text: string;
  /** Ascending. Empty: the text has no styles. */
  readonly styles: readonly StyleRun[];
}

/** Style changes of one text. A progress bar may have hundreds. */
export const MAX_RUNS = 200;

/**
 * Escape sequences of terminals (ECMA-48), as far as programs write them into logs: control sequences with the codes
 * of SGR in the first group, titles and links (OSC), other strings, two-character sequences.
 */
const ESCAPES =
  // deno-lint-ignore no-control-regex -- control characters are what this looks for
  /(?:\x1b\[|\x9b)(?:([\d;:]*)m|[0-?]*[ -/]*[@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]/g;

/** Separates a text from its escape sequences. Colours and styles become style runs, others are removed. */
export function readAnsi(text: string): PlainText {
  const styles: StyleRun[] = [];
  let plain = "";
  let end = 0;
  let style: Style = {};
  for (const { 0: sequence, 1: codes, index } of text.matchAll(ESCAPES)) {
    plain += text.slice(end, index);
    end = index + sequence.length;
    if (codes === undefined || styles.length === MAX_RUNS) continue;
    style = applyCodes(style, codes.split(/[;:]/).map(Number));
    const names = namesOf(style);
    if (styles.at(-1)?.[0] === plain.length) styles.pop();
    if (names !== (styles.at(-1)?.[1] ?? "")) styles.push([plain.length, names]);
  }
  plain += text.slice(end);
  return { text: plain, styles: styles.filter(([at]) => at < plain.length) };
}

interface Style {
  readonly bold?: boolean;
  readonly faint?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly colour?: Hue;
  readonly background?: Hue;
}

/** Of the codes 30 to 37. Black and white are the page's own ink. */
const HUES = [undefined, "red", "green", "yellow", "blue", "magenta", "cyan", undefined] as const;
type Hue = typeof HUES[number];

/** @param codes https://en.wikipedia.org/wiki/ANSI_escape_code#Select_Graphic_Rendition_parameters */
function applyCodes(style: Style, codes: readonly number[]): Style {
  const rest = [...codes];
  for (let code = rest.shift(); code !== undefined; code = rest.shift()) {
    if (code === 0) style = {};
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2 || code === 90) style = { ...style, faint: true };
    else if (code === 3) style = { ...style, italic: true };
    else if (code === 4) style = { ...style, underline: true };
    else if (code === 9) style = { ...style, strike: true };
    else if (code === 22) style = { ...style, bold: false, faint: false };
    else if (code === 23) style = { ...style, italic: false };
    else if (code === 24) style = { ...style, underline: false };
    else if (code === 29) style = { ...style, strike: false };
    else if (code === 38 || code === 48) {
      const hue = extendedHue(rest);
      style = { ...style, ...(code === 38 ? { colour: hue } : { background: hue }) };
    } else if (code === 39) style = { ...style, colour: undefined, faint: false };
    else if (code === 49) style = { ...style, background: undefined };
    else if (isColour(code, 30)) style = { ...style, colour: HUES[code % 10] };
    else if (isColour(code, 40)) style = { ...style, background: HUES[code % 10] };
  }
  return style;
}

/** Whether a code is one of the eight colours from `base`, or the bright one of it. */
function isColour(code: number, base: 30 | 40): boolean {
  return [base, base + 60].some((first) => code >= first && code < first + 8);
}

/** Takes the colour after 38 or 48: `5;INDEX` of 256, or `2;RED;GREEN;BLUE`. */
function extendedHue(rest: number[]): Hue {
  const kind = rest.shift();
  if (kind === 2) return nearestHue(rest.splice(0, 3));
  const index = kind === 5 ? rest.shift() ?? 0 : 0;
  if (index < 16) return HUES[index % 8];
  // A cube of six steps for each part; the greys after it have no hue.
  const cube = index - 16;
  return cube < 216
    ? nearestHue([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((n) => n * 51))
    : undefined;
}

/** Difference of the strongest and the weakest part, below which a colour is a grey. */
const MIN_CHROMA = 48;

function nearestHue(parts: readonly number[]): Hue {
  const [red = 0, green = 0, blue = 0] = parts;
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (!(most - least >= MIN_CHROMA)) return undefined;
  const isStrong = (part: number) => part - least > (most - least) / 3; // Orange is yellow.
  return HUES[Number(isStrong(red)) + 2 * Number(isStrong(green)) + 4 * Number(isStrong(blue))];
}

/** Names of a style, in a fixed order. A background becomes a `badge` of its colour: text must stay readable. */
function namesOf({ background, colour, ...flags }: Style): string {
  const set = Object.entries(flags).filter(([, isSet]) => isSet).map(([name]) => name).sort();
  const hue = background ?? colour;
  return [...set, ...background ? ["badge"] : [], ...hue ? [hue] : []].join(" ");
}
