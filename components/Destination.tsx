import { OutcomeMark } from "./OutcomeMark.tsx";
import { type DeliveryState, describeOutcome } from "./outcome.ts";
import type { PageFacts } from "./page_facts.ts";

/** Results with the outcomes that an envelope can have, best first. */
const RESULTS: readonly DeliveryState[] = [
  { status: 200, outcome: "delivered" },
  { status: 202, outcome: "spooled" },
  { status: 503 },
  { status: 429, outcome: "rate_limited" },
  { status: 400, outcome: "rejected" },
];

/** Where envelopes go, what this server stores, and what the outcomes mean. Relay mode only. */
export function Destination({ route, ingest, storage, sentry }: PageFacts) {
  return (
    <div className="destination spaced">
      <p>
        Route of this browser’s envelopes: <b>{route}</b>. Destination:{" "}
        <b>{ingest}</b>; they appear in the Sentry project of the DSN. Stored on this server:{" "}
        {storage}. <a href={sentry} target="_blank" rel="noreferrer">Open Sentry</a>
      </p>
      <dl className="key-values">
        {RESULTS.map((result) => {
          const { kind, word, meaning } = describeOutcome(result);
          return (
            <div key={word} className="entry">
              <dt className={kind}>
                <OutcomeMark kind={kind} />
                {word}
              </dt>
              <dd>{meaning}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
