/** What stands at a path, and the parameters that the path gave it. */
export interface Match<T> {
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern<T> {
  readonly segments: readonly string[];
  readonly value: T;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Exact paths first, then the few patterns with `[name]` segments, in the order in which they were
 * added.
 */
export class Router<T> {
  readonly #exact = new Map<string, Match<T>>();
  readonly #patterns: Pattern<T>[] = [];

  /** Adds a path; false if there is one already. */
  add(path: string, value: T): boolean {
    if (path.includes("[")) {
      this.#patterns.push({ segments: path.split("/"), value });
      return true;
    }
    if (this.#exact.has(path)) return false;
    this.#exact.set(path, { value, params: NO_PARAMS });
    return true;
  }

  match(path: string): Match<T> | undefined {
    const exact = this.#exact.get(path);
    if (exact !== undefined || this.#patterns.length === 0) return exact;
    const segments = path.split("/");
    for (const pattern of this.#patterns) {
      const params = matchSegments(pattern.segments, segments);
      if (params !== undefined) return { value: pattern.value, params };
    }
    return undefined;
  }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    const name = /^\[([A-Za-z_]\w*)\]$/.exec(part)?.[1];
    if (name === undefined) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decode(segment);
    if (value === undefined || value === "") return undefined;
    params[name] = value;
  }
  return params;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Broken percent-encoding names nothing that exists.
    return undefined;
  }
}
