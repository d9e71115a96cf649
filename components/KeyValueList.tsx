import type { ReactNode } from "react";

export interface KeyValue {
  readonly name: ReactNode;
  readonly value: ReactNode;
}

/** A list of names and their values. */
export function KeyValueList({ entries }: { entries: readonly KeyValue[] }) {
  return (
    <dl className="key-values">
      {entries.map(({ name, value }, index) => (
        // Not the name as key: senders may repeat names.
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
