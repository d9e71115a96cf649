import type { ReactNode } from "react";
import { OutcomeMark } from "./OutcomeMark.tsx";

/**
 * A cell with a number. On phones, which have no column heads, its noun is beside it.
 *
 * @param props.className decides the cell's place on phones
 * @param props.noun singular
 * @param props.isFailure red with a mark, unless the number is 0
 */
export function CountCell({ className, count, noun, isFailure, children }: {
  className: string;
  count: number;
  noun: string;
  isFailure?: boolean;
  children?: ReactNode;
}) {
  const isRefused = isFailure && count > 0;
  return (
    <td className={`n ${className} ${isRefused ? "refused" : count > 0 ? "" : "none"}`}>
      {isRefused && <OutcomeMark kind="refused" />}
      {count}
      <span className="unit">{count === 1 ? noun : `${noun}s`}</span>
      {children}
    </td>
  );
}
