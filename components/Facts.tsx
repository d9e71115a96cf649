import type { ReactNode } from "react";

export interface Fact {
  readonly term: string;
  readonly value: ReactNode;
}

/** Terms and their values, one line each where there is room. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ term, value }) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
