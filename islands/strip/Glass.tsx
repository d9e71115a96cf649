import type { ReactNode } from "react";
import { formatCount } from "../../components/format.ts";
import { Mark } from "../../components/Mark.tsx";

export interface GlassPlace {
  readonly variant: string;
  /** Where the browser posts to: a path, or "direct to the ingest". */
  readonly route: string;
  /** Where envelopes end. */
  readonly ingest: string;
}

export interface GlassCounts {
  /** In this browser, until an answer comes. */
  readonly waiting: number;
  /** With the relay, until the ingest answers. */
  readonly spooled: number;
  readonly refused: number;
  readonly accepted: number;
}

const NOTHING: GlassCounts = { waiting: 0, spooled: 0, refused: 0, accepted: 0 };

/**
 * The glass: three places in a row with what each of them has counted, the tube that joins them, and
 * a sentence. Each number stands beside a mark and a word: colour is never the only sign.
 *
 * @param props.counts left out: nothing has been sent
 * @param props.inside what is in the tube, for the eye alone
 * @param props.reading the sentence under the tube
 * @param props.senders what the relay counted of all senders, on a line of its own; left out: not read yet
 * @param props.children further readings
 */
export function Glass({ place, counts = NOTHING, inside, reading, senders, children }: {
  place: GlassPlace;
  counts?: GlassCounts;
  inside?: ReactNode;
  reading: ReactNode;
  senders?: ReactNode;
  children?: ReactNode;
}) {
  const { waiting, spooled, refused, accepted } = counts;
  return (
    <div className="glass" data-route={place.route} data-sentry-block="">
      <ol>
        <li>
          <span>this browser</span>
          <span className={waiting > 0 ? "waits" : "nil"}>
            <Mark kind="waits" />
            {waiting} waiting
          </span>
        </li>
        <li>
          <span>{place.route}</span>
          <span>
            {spooled > 0 && (
              <span className="waits">
                <Mark kind="waits" />
                {spooled} spooled{" "}
              </span>
            )}
            <span className={refused > 0 ? "refused" : "nil"}>
              <Mark kind="refused" />
              {refused} refused
            </span>
          </span>
        </li>
        <li>
          <span>{place.ingest}</span>
          <span className={accepted > 0 ? "flows" : "nil"}>
            <Mark kind="flows" />
            {accepted} {accepts(place)}
          </span>
        </li>
      </ol>
      <div className="tube" aria-hidden="true">
        <i className="valve" />
        {inside}
      </div>
      <p className="reading">{reading}</p>
      {/* From the start, so that nothing below moves once it is read. */}
      <p className="reading">{senders ?? <span>All senders: not read yet.</span>}</p>
      {children}
    </div>
  );
}

/** The same readings as one text, for who does not see them side by side. */
export function readingsInWords(place: GlassPlace, counts: GlassCounts): string {
  const { waiting, spooled, refused, accepted } = counts;
  return `This page: ${formatCount(accepted, "envelope")} ${accepts(place)}, ${waiting} waiting, ` +
    `${spooled > 0 ? `${spooled} spooled, ` : ""}${refused} refused`;
}

const accepts = ({ variant }: GlassPlace) => variant === "inbox" ? "stored" : "accepted";
