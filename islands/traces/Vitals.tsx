import { Mark } from "../../components/Mark.tsx";
import type { ShownVital } from "./Axis.tsx";

const KINDS = { good: "flows", "needs improvement": "waits", poor: "refused" } as const;

/** The web vitals of a page load, each with how good it is. */
export function Vitals({ vitals }: { vitals: readonly ShownVital[] }) {
  if (vitals.length === 0) return null;
  return (
    <dl className="vitals" aria-label="Web vitals">
      {vitals.map(({ name, title, value, rating }) => (
        <div key={name}>
          <dt title={title}>{name.toUpperCase()}</dt>
          <dd>
            <b>{value}</b>
            <Mark kind={KINDS[rating as keyof typeof KINDS]} />
            {rating}
          </dd>
        </div>
      ))}
    </dl>
  );
}
