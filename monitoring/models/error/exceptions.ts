import { type Bounded, firstOf, flagAt, listAt, textAt, wholeAt } from "../fields.ts";
import { type Frame, readStack } from "./stack.ts";

/** One exception of an event, and how it hangs together with the others. */
export interface Thrown {
  readonly type: string;
  /** Its message. */
  readonly value: string;
  /** `thrown`: the outermost; `cause`: what led to its parent; `member`: one of those that its parent groups. */
  readonly relation: "thrown" | "cause" | "member";
  /** How far it is from the outermost. */
  readonly depth: number;
  /** Its parent's type; null: it is the outermost. */
  readonly of: string | null;
  /** Where in its parent it stood, as the sender says: `cause`, `errors[0]`, `__context__`. */
  readonly place: string | null;
  readonly isGroup: boolean;
  /** What caught it, such as `onerror`. */
  readonly mechanism: string | null;
  /** False: nothing caught it but the SDK; null: not told. */
  readonly handled: boolean | null;
  readonly stack: Bounded<Frame>;
}

/** An aggregate may hold hundreds; beyond a screen or two they tell nothing new. */
const MAX_EXCEPTIONS = 50;

/** The outermost exception, then each one under what it led to: depth first, in the order they were sent. */
export function readExceptions(event: unknown): Bounded<Thrown> {
  const values = listAt(event, "exception");
  // Sentry's order is innermost first; what is beyond the bound is furthest from the outermost.
  const { shown, more } = firstOf(values.toReversed(), MAX_EXCEPTIONS);
  return { shown: orderByParent(shown).map(readThrown), more };
}

interface Placed {
  readonly value: unknown;
  readonly depth: number;
  readonly parent: unknown;
}

/**
 * Makes a tree of what the exceptions say of each other (https://develop.sentry.dev/sdk/data-model/event-payloads/exception/)
 * and walks it, depth first.
 *
 * @param values outermost first
 */
function orderByParent(values: readonly unknown[]): readonly Placed[] {
  if (values.length === 0) return [];
  const { root, parents } = treeOf(values);
  const children = values.map((_, index) =>
    parents.flatMap((parent, child) => parent === index && child !== root ? [child] : [])
  );
  const placed: Placed[] = [];
  const todo = [{ index: root, depth: 0, parent: undefined as unknown }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { index, depth, parent } = next;
    const value = values[index];
    placed.push({ value, depth, parent });
    const below = (children[index] ?? []).map((child) => ({
      index: child,
      depth: depth + 1,
      parent: value,
    }));
    todo.push(...below.toReversed());
  }
  return placed;
}

/**
 * Each exception's parent. They may say nothing, name parents that are not there, or go in circles:
 * who does not lead to the outermost by what was said led to the one that stands before it.
 */
function treeOf(
  values: readonly unknown[],
): { readonly root: number; readonly parents: readonly (number | undefined)[] } {
  const byId = new Map<number, number>();
  values.forEach((value, index) => {
    const id = wholeAt(value, 0, "mechanism", "exception_id");
    if (id !== null && !byId.has(id)) byId.set(id, index);
  });
  const parents = values.map((value) =>
    byId.get(wholeAt(value, 0, "mechanism", "parent_id") ?? NaN)
  );
  const first = byId.get(0);
  const root = first !== undefined && parents[first] === undefined ? first : 0;

  const leadsToRoot = (index: number): boolean => {
    let above: number | undefined = index;
    for (let step = 0; above !== undefined && step <= values.length; step++) {
      if (above === root) return true;
      above = parents[above];
    }
    return false;
  };
  const place = (index: number) => {
    let before = index - 1;
    while (before >= 0 && !leadsToRoot(before)) before--;
    parents[index] = before < 0 ? root : before;
  };
  const indexes = [...values.keys()].filter((index) => index !== root);
  // Those who said nothing go first: others may hang from them as they say, and only circles are left.
  for (const index of indexes) if (parents[index] === undefined) place(index);
  for (const index of indexes) if (!leadsToRoot(index)) place(index);
  return { root, parents };
}

function readThrown({ value, depth, parent }: Placed): Thrown {
  const place = textAt(value, "mechanism", "source");
  const isMember = flagAt(parent, "mechanism", "is_exception_group") === true &&
    !/^(__)?(cause|context)(__)?$/i.test(place ?? "");
  return {
    type: typeOf(value),
    value: textAt(value, "value") ?? "",
    relation: depth === 0 ? "thrown" : isMember ? "member" : "cause",
    depth,
    of: depth === 0 ? null : typeOf(parent),
    place,
    isGroup: flagAt(value, "mechanism", "is_exception_group") === true,
    mechanism: textAt(value, "mechanism", "type"),
    handled: flagAt(value, "mechanism", "handled"),
    stack: readStack(stackOf(value)),
  };
}

/** SDKs of languages with packages write the type's package apart. */
function typeOf(value: unknown): string {
  const type = textAt(value, "type") ?? "Error";
  const module = textAt(value, "module");
  return module === null || type.startsWith(`${module}.`) ? type : `${module}.${type}`;
}

function stackOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "stacktrace" in value
    ? value.stacktrace
    : undefined;
}
