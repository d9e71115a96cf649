/** Marks that are written above or below a letter, as in "é". */
const DIACRITICS = /[\u0300-\u036f]/g;
const NO_WORD = /[^\p{L}\p{N}\p{M}\p{Co}]+/gu;

/**
 * The words of a text, each after a space, and a space at the end: lower case, without diacritics. Searched texts and
 * queries are split here, so SQLite's tokenizer `ascii` has nothing to decide: `unicode61` knows only the letters of 2012.
 */
export function wordsOf(text: string): string {
  const lower = text.toLowerCase();
  const plain = /[^\0-\x7f]/.test(lower)
    ? lower.normalize("NFD").replace(DIACRITICS, "").normalize("NFC")
    : lower;
  return ` ${plain} `.replace(NO_WORD, " ");
}

/** Before each id: fewer than 8 digits do not find it, although its beginning might be a number. */
const ID_MARK = "\ue000";

/** Ids, or the beginning of one, as {@linkcode wordsOf}. */
export const idWords = (...ids: readonly (string | null)[]): string =>
  ` ${ids.map((id) => id === null ? "" : `${ID_MARK}${id} `).join("")}`;
