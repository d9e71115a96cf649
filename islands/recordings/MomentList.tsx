import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { MOMENT_KINDS, type MomentKind } from "../../monitoring/models/recording/timeline.ts";
import { momentHref } from "../shared/use_recording_href.ts";
import { formatMoment, KIND_NAMES } from "./TimeLine.tsx";
import type { ListedMoment } from "./use_moments.ts";

/** Rows of the list; the time line has marks for all. */
const MAX_ROWS = 500;

/** Files that the page loaded have a control of their own. */
const CHOICES = MOMENT_KINDS.filter((kind) => kind !== "resource");

/**
 * What happened, in order of time. The time of a moment leads to the recording at that time, its text to its own view.
 *
 * @param props.from start of the recording, milliseconds since 1970
 * @param props.at position of the player, milliseconds since the start
 * @param props.children further controls
 */
export function MomentList({ moments, replayId, from, at, children }: {
  moments: readonly ListedMoment[];
  replayId: string;
  from: number;
  at: number;
  children: ReactNode;
}) {
  const [kind, setKind] = useState<MomentKind>();
  const chosen = kind === undefined ? moments : moments.filter((moment) => moment.kind === kind);
  const shown = chosen.slice(0, MAX_ROWS);
  const current = shown.findLastIndex((moment) => moment.at <= from + at + 1);
  return (
    <section className="moments" aria-label="Moments">
      <label>
        <span className="vh">Kind of moments</span>
        <select
          value={kind ?? ""}
          onChange={({ target }) => setKind(MOMENT_KINDS.find((one) => one === target.value))}
        >
          <option value="">everything ({moments.length})</option>
          {CHOICES.map((one) => <option key={one} value={one}>{KIND_NAMES[one]}</option>)}
        </select>
      </label>
      {children}
      {shown.length === 0 && <p className="empty">Nothing of this kind was recorded.</p>}
      <Rows moments={shown} replayId={replayId} from={from} current={current} />
      {chosen.length > MAX_ROWS && (
        <p className="quiet">{formatCount(chosen.length - MAX_ROWS, "later moment")} not listed.</p>
      )}
    </section>
  );
}

const Rows = memo(function Rows({ moments, replayId, from, current }: {
  moments: readonly ListedMoment[];
  replayId: string;
  from: number;
  current: number;
}) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const row = list.current?.children[current] as HTMLElement | undefined;
    // `scrollIntoView` would also move the page.
    if (row && !list.current?.contains(document.activeElement)) {
      list.current?.scrollTo({ top: row.offsetTop - list.current.clientHeight / 2 });
    }
  }, [current]);
  return (
    <ol ref={list} tabIndex={0} aria-label="Moments in order of time">
      {moments.map(({ kind, at, text, href }, index) => (
        <li
          key={index}
          className={`of-${kind}`}
          aria-current={index === current ? "true" : undefined}
        >
          <a href={momentHref(replayId, at)}>{formatMoment(at - from)}</a>
          <small>{kind}</small>
          <a href={href} title={text}>{text === "" ? "(no text)" : text}</a>
        </li>
      ))}
    </ol>
  );
});
