import type { ReactNode } from "react";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { logAttributes } from "./log_text.ts";

/**
 * All that a list knows of one log: its message, when, and its attributes. The envelope has what was too long for it.
 *
 * @param props.children links to where it belongs
 */
export function LogDetails({ row, children }: { row: LogRow; children: ReactNode }) {
  return (
    <div className="log-details">
      <pre>{row.body}</pre>
      <p className="links">{children}</p>
      <dl className="facts">
        <div>
          <dt>time</dt>
          <dd>
            <code>{isoTime(row.at)}</code>
          </dd>
        </div>
        {logAttributes(row).map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function isoTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "unknown" : time.toISOString();
}
