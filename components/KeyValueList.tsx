import type { ReactNode } from "react";

export interface KeyValue {
  readonly name: ReactNode;
  readonly value: ReactNode;
}

/**
 * A list of names and their values.
 *
 * @param props.entries false: left out
 * @param props.isInLine beside each other, as far as they fit. Default: one in each line
 */
export function KeyValueList({ entries, isInLine }: {
  entries: readonly (KeyValue | false)[];
  isInLine?: boolean;
}) {
  return (
    <dl className={isInLine ? "facts" : "key-values"}>
      {entries.filter((entry) => entry !== false).map(({ name, value }, index) => (
        // Not the name as key: senders may repeat names.
        <div key={index} className={isInLine ? "line" : "entry"}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
