/** The value of a path, and the parameters in the path. */
export interface Match<T> {
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** Finds exact paths first, then patterns with `[name]` segments in the order they were added. */
export class Router<T> {
  readonly #exact = new Map<string, T>();
  readonly #patterns: { readonly pattern: RegExp; readonly value: T }[] = [];

  /** Adds a path or pattern. Returns false if there is the same path already. */
  add(path: string, value: T): boolean {
    if (path.includes("[")) {
      const pattern = new RegExp(`^${path.replaceAll(/\[(\w+)\]/g, "(?<$1>[^/]+)")}$`);
      this.#patterns.push({ pattern, value });
      return true;
    }
    if (this.#exact.has(path)) return false;
    this.#exact.set(path, value);
    return true;
  }

  match(path: string): Match<T> | undefined {
    const value = this.#exact.get(path);
    if (value !== undefined) return { value, params: NO_PARAMS };
    for (const { pattern, value } of this.#patterns) {
      const params = decodeAll(pattern.exec(path)?.groups);
      if (params !== undefined) return { value, params };
    }
    return undefined;
  }
}

function decodeAll(groups: Record<string, string> | undefined): Record<string, string> | undefined {
  try {
    return groups && Object.fromEntries(
      Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]),
    );
  } catch {
    // Invalid percent-encoding: no such path.
    return undefined;
  }
}

/** The path of a request's URL exactly as it was sent: nothing decoded, no `..` resolved. */
export function pathOf(url: string): string {
  return /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || "/";
}

/** Whether the query of a request's URL contains `fresh-partial=true`. */
export function asksForPartial(url: string): boolean {
  return /^[^?]*\?(?:|.*&)fresh-partial=true(?:&|#|$)/.test(url);
}
