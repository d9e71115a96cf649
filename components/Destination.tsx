import { Mark } from "./Mark.tsx";
import { type Answer, judge } from "./verdict.ts";

/** One answer of each sort that can come back, best first. */
const ANSWERS: readonly { readonly answer: Answer; readonly explained: string }[] = [
  {
    answer: { status: 200, outcome: "delivered" },
    explained:
      "The ingest accepted the envelope: it answered with a status from 200 to 299. What " +
      "Sentry makes of it afterwards (filters, quotas, grouping) cannot be seen from here.",
  },
  {
    answer: { status: 202, outcome: "spooled" },
    explained:
      "The ingest does not take it now. The relay has it on disk and delivers it once the " +
      "ingest answers again.",
  },
  {
    answer: { status: 503 },
    explained:
      "No answer, or one that asks to come again. The browser keeps the envelope and sends " +
      "it again, also after a reload.",
  },
  {
    answer: { status: 429, outcome: "rate_limited" },
    explained: "The ingest takes no more of what the envelope holds for a while.",
  },
  {
    answer: { status: 400, outcome: "rejected" },
    explained:
      "The ingest, or the relay before it, will not take this envelope. The reason stands " +
      "in the list above.",
  },
];

/** Relay mode, in place of the inbox: where envelopes go, what is kept here, and what the answers mean. */
export function Destination({ route, ingest, kept }: {
  route: string;
  ingest: string;
  kept: string;
}) {
  return (
    <div className="destination">
      <p>
        The route of this browser's envelopes is <b>{route}</b>, their end{" "}
        <b>{ingest}</b>: look for them in the project that the DSN names. Kept on this server:{" "}
        {kept}.
      </p>
      <dl>
        {ANSWERS.map(({ answer, explained }) => {
          const { kind, word } = judge(answer);
          return (
            <div key={word}>
              <dt className={kind}>
                <Mark kind={kind} />
                {word}
              </dt>
              <dd>{explained}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
