import { withoutEscapes } from "./personal_data.ts";

/** Shorter ones are in too many words. */
export const MIN_WANTED = 3;
/** More than a person types. */
const MAX_WANTED = 50;
/** Digits of a number that is found with other separators, too. */
const MIN_DIGITS = 8;
const NUMBER = /^[\d\s().+-]+$/;
const SEPARATORS = /[\s().+-]/g;

/** The texts to search for in what a person has typed: one in each line, each once. */
export function readWanted(typed: string): { readonly texts: string[]; readonly tooShort: number } {
  const lines = [...new Set(typed.split("\n").map((line) => line.trim()).filter(Boolean))];
  const texts = lines.filter(({ length }) => length >= MIN_WANTED);
  return { texts: texts.slice(0, MAX_WANTED), tooShort: lines.length - texts.length };
}

/**
 * Finds texts in others, in any case and with other blanks; in addresses also escaped; numbers with other
 * separators. Not found: hashed, encrypted or Base64.
 */
export class WantedTexts {
  readonly #plain: readonly string[];
  /** Of numbers their digits, else empty. */
  readonly #digits: readonly string[];

  constructor(readonly texts: readonly string[]) {
    this.#plain = texts.map(plain);
    this.#digits = texts.map((text) => {
      const digits = NUMBER.test(text) ? text.replace(SEPARATORS, "") : "";
      return digits.length >= MIN_DIGITS ? digits : "";
    });
  }

  /** Indexes of the texts that occur in another. */
  in(text: string): number[] {
    if (this.texts.length === 0 || text.length < MIN_WANTED) return [];
    const forms = [plain(text)];
    if (text.includes("%")) forms.push(plain(withoutEscapes(text)));
    // A blank in a query.
    if (text.includes("+")) forms.push(plain(withoutEscapes(text.replaceAll("+", " "))));
    const hasDigits = this.#digits.some(Boolean);
    const digits = hasDigits ? text.replace(SEPARATORS, "") : "";
    return this.texts.flatMap((_, index) => {
      const wanted = this.#plain[index]!;
      const number = this.#digits[index]!;
      const isFound = forms.some((form) => form.includes(wanted)) ||
        (number !== "" && digits.includes(number));
      return isFound ? [index] : [];
    });
  }
}

const plain = (text: string) => text.normalize().toLowerCase().replace(/\s+/g, " ");
