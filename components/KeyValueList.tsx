import type { ReactNode } from "react";

export interface KeyValue {
  readonly name: ReactNode;
  readonly value: ReactNode;
}

/** Names and their values, one line each where there is room. */
export function KeyValueList({ entries }: { entries: readonly KeyValue[] }) {
  return (
    <dl className="facts">
      {entries.map(({ name, value }, index) => (
        // Names may repeat: some come from other senders.
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
