import type { ReactNode, RefObject } from "react";
import { withValue } from "../../monitoring/models/query/query.ts";
import { fragmentTo, linkTo, useFragment } from "../data/fragment.ts";
import { useView } from "../data/view.ts";
import { isRelay } from "../data/read.ts";
import { Menu } from "./Menu.tsx";
import { isShown, useStepKeys } from "./use_keys.ts";

/** A field or attribute, and its value. */
export type NamedValue = readonly [name: string, value: unknown];

/** The lists that are searched for any attribute, and others for a field. */
const SEARCHED = ["traces", "logs", "errors"] as const;
/** A map: a sender may name an attribute "constructor". */
const FIELDS = new Map<string, readonly string[]>([
  ...["op", "status", "type"].map((name) => [name, []] as const),
  ["level", ["logs", "errors"]],
]);

/**
 * Links to the rows of a view that have a value, and to those that have not: they add to the query of the address. And to
 * the rows of other views that have it.
 *
 * @param props.name of the field or attribute
 */
export function ValueLinks({ name, value }: { name: string; value: unknown }) {
  const { id: view } = useView();
  const { params } = useFragment();
  const hrefOf = (isExcluded: boolean) => {
    const q = withValue(params.get("q") ?? "", name, value, isExcluded);
    return q && fragmentTo(view, [], { ...Object.fromEntries(params), span: undefined, q });
  };
  const only = hrefOf(false);
  if (only === undefined) return null;
  const q = withValue("", name, value, false);
  const others = view === "recordings" ? [] : FIELDS.get(name) ?? SEARCHED;
  return (
    <span className="value-links">
      <a href={only} title={`Only ${view} with this ${name}`}>Only this</a>{" "}
      <a href={hrefOf(true)} title={`No ${view} with this ${name}`}>Not this</a>
      {others.filter((other) => other !== view).map((other) => (
        <a key={other} href={linkTo(other, [], { q })}>
          {` In ${other}`}
        </a>
      ))}
    </span>
  );
}

/** What shows values in a row: a click opens their links. The keys of {@linkcode useValueKeys} lead to it. */
export function RowValues({ values, children }: {
  values: readonly NamedValue[];
  children: ReactNode;
}) {
  if (isRelay || values.length === 0) return children;
  const named = new Map(values.map(([name, value]) => [`${name}: ${value}`, { name, value }]));
  return (
    <Menu label={children} name={[...named.keys()].join(", ")} look="bare row-values" isInRow>
      {(close) =>
        [...named].map(([text, of]) => (
          <div key={text} onClick={close}>
            <span className="one-line">{text}</span>
            <ValueLinks {...of} />
          </div>
        ))}
    </Menu>
  );
}

/** The keys f and F move the focus through the values and links of the row that has it. */
export function useValueKeys(list: RefObject<HTMLElement | null>): void {
  useStepKeys(["fF"], (by) => {
    const row = document.activeElement?.closest("tr");
    if (!row || !list.current?.contains(row)) return false;
    const stops = [...row.querySelectorAll<HTMLElement>("a, button")].filter(isShown);
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops.at((at + by) % stops.length)!.focus();
    return true;
  });
}
