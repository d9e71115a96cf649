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
 * @param unnamed type of one without a type
 * @returns at most {@linkcode MAX_EXCEPTIONS}; `more` counts the rest
 */
export function readExceptions(event: unknown, unnamed: string): Bounded<ReportedException> {
  // The limit drops the ones furthest from the outermost.
  const { shown, more } = firstOf(exceptionsOf(event).toReversed(), MAX_EXCEPTIONS);
  return { shown: orderByParent(shown).map((node) => readException(node, unnamed)), more };
}

interface TreeNode {
  readonly value: unknown;
  readonly depth: number;
  readonly parent: TreeNode | undefined;
  readonly children: TreeNode[];
}

/**
 * Builds the tree from `exception_id` and `parent_id` and walks it depth first. SDKs send parents outside of their
 * children; an exception whose parent is not there becomes a child of the one before it.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/exception/
 *
 * @param values outermost first
 */
function orderByParent(values: readonly unknown[]): readonly TreeNode[] {
  const idOf = (value: unknown) => integerAt(value, 0, "mechanism", "exception_id");
  const root = Math.max(0, values.findIndex((value) => idOf(value) === 0));
  const nodes: TreeNode[] = [];
  const byId = new Map<number | null, TreeNode>();
  for (const value of [...values.slice(root, root + 1), ...values.toSpliced(root, 1)]) {
    const parent = byId.get(integerAt(value, 0, "mechanism", "parent_id")) ?? nodes.at(-1);
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const node: TreeNode = { value, depth, parent, children: [] };
    parent?.children.push(node);
    nodes.push(node);
    const id = idOf(value);
    if (id !== null && !byId.has(id)) byId.set(id, node);
  }
  const walk = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(walk)];
  return nodes.slice(0, 1).flatMap(walk);
}

function readException({ value, depth, parent }: TreeNode, unnamed: string): ReportedException {
  const place = textAt(value, "mechanism", "source");
  const isMember = booleanAt(parent?.value, "mechanism", "is_exception_group") === true &&
    !/^(__)?(cause|context)(__)?$/i.test(place ?? "");
  return {
    type: typeOf(value, unnamed),
    value: textAt(value, "value") ?? "",
    relation: depth === 0 ? "thrown" : isMember ? "member" : "cause",
    depth,
    of: parent === undefined ? null : typeOf(parent.value, unnamed),
    place,
    mechanism: textAt(value, "mechanism", "type"),
    handled: booleanAt(value, "mechanism", "handled"),
    stack: readStack(at(value, "stacktrace")),
  };
}

/** SDKs of some languages send the package of the type separately. */
function typeOf(value: unknown, unnamed: string): string {
  const type = textAt(value, "type") || unnamed;
  const module = textAt(value, "module");
  return module === null || type.startsWith(`${module}.`) ? type : `${module}.${type}`;
}
