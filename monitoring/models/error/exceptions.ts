import { at, booleanAt, type Bounded, firstOf, integerAt, textAt } from "../json.ts";
import { type Frame, readStack } from "./stack.ts";

/** One exception of an event, and its relation to the others. */
export interface ReportedException {
  readonly type: string;
  /** Its message. */
  readonly value: string;
  /** `thrown`: the outermost; `cause`: caused its parent; `member`: its parent is a group (`AggregateError`). */
  readonly relation: "thrown" | "cause" | "member";
  /** Distance from the outermost exception. */
  readonly depth: number;
  /** The parent's type; null for the outermost. */
  readonly of: string | null;
  /** The property of the parent that contained it: `cause`, `errors[0]`, `__context__`. */
  readonly place: string | null;
  /** The integration that captured it, such as `onerror`. */
  readonly mechanism: string | null;
  /** False: uncaught; null: not sent. */
  readonly handled: boolean | null;
  readonly stack: Bounded<Frame>;
}

/** SDKs send at most five linked causes; an aggregate may contain hundreds. */
export const MAX_EXCEPTIONS = 50;

/** The exceptions of an event, outermost last: `{values: […]}`; older SDKs send the array, or a single one. */
export function exceptionsOf(event: unknown): readonly unknown[] {
  const exception = at(event, "exception");
  const values = at(exception, "values") ?? exception;
  const list = Array.isArray(values) ? values : [values];
  return list.filter((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
  );
}

/**
 * The exceptions of an event as a tree in depth-first order, outermost first.
 *
 * @returns at most {@linkcode MAX_EXCEPTIONS}; `more` counts the rest
 */
export function readExceptions(event: unknown): Bounded<ReportedException> {
  // The limit drops the ones furthest from the outermost.
  const { shown, more } = firstOf(exceptionsOf(event).toReversed(), MAX_EXCEPTIONS);
  return { shown: orderByParent(shown).map(readException), more };
}

interface TreeNode {
  readonly value: unknown;
  readonly depth: number;
  readonly parent: unknown;
}

/**
 * Builds the tree from `exception_id` and `parent_id` and walks it depth first.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/exception/
 *
 * @param values outermost first
 */
function orderByParent(values: readonly unknown[]): readonly TreeNode[] {
  if (values.length === 0) return [];
  const { root, parents } = treeOf(values);
  const children = values.map((_, index) =>
    parents.flatMap((parent, child) => parent === index && child !== root ? [child] : [])
  );
  const ordered: TreeNode[] = [];
  const pending = [{ index: root, depth: 0, parent: undefined as unknown }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { index, depth, parent } = next;
    const value = values[index];
    ordered.push({ value, depth, parent });
    const below = (children[index] ?? []).map((child) => ({
      index: child,
      depth: depth + 1,
      parent: value,
    }));
    pending.push(...below.toReversed());
  }
  return ordered;
}

/**
 * The parent of each exception. Ids may be missing, unknown or form a cycle: an exception whose parents
 * do not lead to the root becomes a child of the closest preceding exception that does.
 */
function treeOf(
  values: readonly unknown[],
): { readonly root: number; readonly parents: readonly (number | undefined)[] } {
  const byId = new Map<number, number>();
  values.forEach((value, index) => {
    const id = integerAt(value, 0, "mechanism", "exception_id");
    if (id !== null && !byId.has(id)) byId.set(id, index);
  });
  const parents = values.map((value) =>
    byId.get(integerAt(value, 0, "mechanism", "parent_id") ?? NaN)
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
  const attach = (index: number) => {
    let preceding = index - 1;
    while (preceding >= 0 && !leadsToRoot(preceding)) preceding--;
    parents[index] = preceding < 0 ? root : preceding;
  };
  const indexes = [...values.keys()].filter((index) => index !== root);
  // Exceptions without a parent first: others may be their children. Only cycles remain then.
  for (const index of indexes) if (parents[index] === undefined) attach(index);
  for (const index of indexes) if (!leadsToRoot(index)) attach(index);
  return { root, parents };
}

function readException({ value, depth, parent }: TreeNode): ReportedException {
  const place = textAt(value, "mechanism", "source");
  const isMember = booleanAt(parent, "mechanism", "is_exception_group") === true &&
    !/^(__)?(cause|context)(__)?$/i.test(place ?? "");
  return {
    type: typeOf(value),
    value: textAt(value, "value") ?? "",
    relation: depth === 0 ? "thrown" : isMember ? "member" : "cause",
    depth,
    of: depth === 0 ? null : typeOf(parent),
    place,
    mechanism: textAt(value, "mechanism", "type"),
    handled: booleanAt(value, "mechanism", "handled"),
    stack: readStack(at(value, "stacktrace")),
  };
}

/** SDKs of some languages send the package of the type separately. */
function typeOf(value: unknown): string {
  const type = textAt(value, "type") ?? "Error";
  const module = textAt(value, "module");
  return module === null || type.startsWith(`${module}.`) ? type : `${module}.${type}`;
}
