/** The value of a path, and the parameters in the path. */
export interface Match<T> {
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern<T> {
  readonly segments: readonly string[];
  readonly value: T;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** Finds exact paths first, then patterns with `[name]` segments in the order they were added. */
export class Router<T> {
  readonly #exact = new Map<string, Match<T>>();
  readonly #patterns: Pattern<T>[] = [];

  /** Adds a path or pattern. Returns false if there is the same path already. */
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
    // Invalid percent-encoding: no such path.
    return undefined;
  }
}

/**
 * The path of a request's URL exactly as it was sent: nothing decoded, no `..` resolved. Without
 * `new URL`, which takes longer than all other work for a prepared response.
 */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  for (let i = start; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code === QUESTION_MARK || code === HASH) return url.slice(start, i);
  }
  return url.slice(start);
}

const QUESTION_MARK = 0x3f;
const HASH = 0x23;

/** Whether the query of a request's URL contains `fresh-partial=true`. */
export function asksForPageData(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && PAGE_DATA.test(url.slice(query));
}

const PAGE_DATA = /^(?:\?|.*&)fresh-partial=true(?:&|#|$)/;
