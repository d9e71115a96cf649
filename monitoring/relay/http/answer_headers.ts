/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** RFC 9110, section 5.5: these three may stand in no value. */
const NOT_IN_VALUE = /[\0\r\n]/;

/** What reading an answer takes of `Headers`, in a fraction of its time. */
export type HeaderReader = Pick<Headers, "get">;

/** The header fields of one answer. */
export class AnswerHeaders implements HeaderReader {
  readonly #values = new Map<string, string>();

  /**
   * Adds a field; the values of one name are joined.
   *
   * @returns false if its name or value is none
   */
  append(name: string, value: string): boolean {
    if (!TOKEN.test(name) || NOT_IN_VALUE.test(value)) return false;
    const key = name.toLowerCase();
    const known = this.#values.get(key);
    this.#values.set(key, known === undefined ? value : `${known}, ${value}`);
    return true;
  }

  /** @param name in any case of letters */
  get(name: string): string | null {
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null;
  }
}
