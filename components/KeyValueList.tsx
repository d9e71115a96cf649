import type { ReactNode } from "react";

export interface KeyValue {
  readonly name: ReactNode;
  readonly value: ReactNode;
}

/**
 * A list of names and their values.
 *
 * @param props.entries false: left out
 */
export function KeyValueList({ entries }: { entries: readonly (KeyValue | false)[] }) {
  return (
    <dl className="key-values">
      {entries.filter((entry) => entry !== false).map(({ name, value }, index) => (
        // Not the name as key: senders may repeat names.
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
