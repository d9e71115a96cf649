import { OutcomeMark } from "./OutcomeMark.tsx";
import { type DeliveryState, describeOutcome } from "./outcome.ts";

/** The outcomes that an envelope can have, best first. */
const OUTCOMES: readonly { readonly result: DeliveryState; readonly explanation: string }[] = [
  {
    result: { status: 200, outcome: "delivered" },
    explanation:
      "Accepted by the ingest: it responded with a status from 200 to 299. What Sentry does with the " +
      "envelope afterwards (filters, quotas, grouping) is not visible here.",
  },
  {
    result: { status: 202, outcome: "spooled" },
    explanation:
      "The ingest is unavailable. The relay stored the envelope and delivers it when the ingest " +
      "is available again.",
  },
  {
    result: { status: 503 },
    explanation:
      "No response, or a temporary error. The browser keeps the envelope and sends it again, also after " +
      "a reload.",
  },
  {
    result: { status: 429, outcome: "rate_limited" },
    explanation: "The ingest announced a rate limit for the items in the envelope.",
  },
  {
    result: { status: 400, outcome: "rejected" },
    explanation: "Refused by the ingest or by the relay. The list above shows the reason.",
  },
];

/** Where envelopes go, what this server stores, and what the outcomes mean. Relay mode only. */
export function Destination({ route, ingest, storage, sentry }: {
  route: string;
  ingest: string;
  storage: string;
  /** URL of the issues in Sentry. */
  sentry: string;
}) {
  return (
    <div className="destination">
      <p>
        Route of this browser’s envelopes: <b>{route}</b>. Destination:{" "}
        <b>{ingest}</b>; they appear in the Sentry project of the DSN. Stored on this server:{" "}
        {storage}. <a href={sentry} target="_blank" rel="noreferrer">Open Sentry</a>
      </p>
      <dl>
        {OUTCOMES.map(({ result, explanation }) => {
          const { kind, word } = describeOutcome(result);
          return (
            <div key={word}>
              <dt className={kind}>
                <OutcomeMark kind={kind} />
                {word}
              </dt>
              <dd>{explanation}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
