import type { ReactNode } from "react";
import { withValue } from "../../monitoring/models/query/query.ts";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { useView } from "../data/view.ts";

/**
 * Links to the rows of this view that have a value, and to those that have not. They add to the query of the address.
 *
 * @param props.name of the field or attribute
 * @param props.isInRow of a list, where a link of each row is in the tab order
 * @param props.children text of the first link
 */
export function ValueLinks({ name, value, isInRow, children = "Only this" }: {
  name: string;
  value: unknown;
  isInRow?: boolean;
  children?: ReactNode;
}) {
  const { id: view } = useView();
  const { params } = useFragment();
  const href = (isExcluded: boolean) => {
    const q = withValue(params.get("q") ?? "", name, value, isExcluded);
    return q === undefined
      ? undefined
      : fragmentTo(view, [], { ...Object.fromEntries(params), span: undefined, q });
  };
  const only = href(false);
  const tabIndex = isInRow ? -1 : undefined;
  if (only === undefined) return null;
  return (
    <span className="value-links">
      <a href={only} title={`Only ${view} with this ${name}`} tabIndex={tabIndex}>{children}</a>
      {" "}
      <a href={href(true)} title={`No ${view} with this ${name}`} tabIndex={tabIndex}>
        Not this
      </a>
    </span>
  );
}
