import type { ReactNode } from "react";
import type { LogRow } from "../../monitoring/inbox/read/rows.ts";
import { formatCount } from "../format/count.ts";
import { type CutText, cutText, logAttributes } from "./log_text.ts";

/**
 * All of one log: the whole message, when, and its attributes.
 *
 * @param props.children links to where it belongs
 */
export function LogDetails({ row, children }: { row: LogRow; children: ReactNode }) {
  const { shown, more } = logAttributes(row);
  return (
    <div className="log-details">
      <pre><Cut {...cutText(row.body)} /></pre>
      <p className="links">{children}</p>
      <dl className="facts">
        <div>
          <dt>time</dt>
          <dd>
            <code>{isoTime(row.at)}</code>
          </dd>
        </div>
        {shown.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code>
                <Cut {...value} />
              </code>
            </dd>
          </div>
        ))}
      </dl>
      {more > 0 && <p>and {formatCount(more, "attribute")} more, in the envelope</p>}
    </div>
  );
}

function Cut({ text, more }: CutText) {
  return (
    <>
      {text}
      {more > 0 && <small>… and {formatCount(more, "character")} more, in the envelope</small>}
    </>
  );
}

function isoTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "unknown" : time.toISOString();
}
