import { TimeAgo } from "../../components/Timestamp.tsx";
import type { SourceRow } from "../../monitoring/models/rows.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { ApplicationTile } from "../shared/ApplicationTile.tsx";
import { nameOf } from "../shared/source_labels.ts";

/** Applications of which the overview has a card; the filter of a list has all. */
const MAX_CARDS = 8;

/** The applications that have sent something, last seen first. */
export function Applications({ rows }: { rows: readonly SourceRow[] }) {
  // By name, as the rows themselves move with each arrival.
  const shown = rows.toSorted((a, b) => b.last_seen - a.last_seen).slice(0, MAX_CARDS)
    .toSorted((a, b) => a.key < b.key ? -1 : 1);
  if (shown.length === 0) return null;
  return (
    <ul className="applications" aria-label="Applications" data-sentry-block="">
      {shown.map((row) => (
        <li key={row.key}>
          <a href={fragmentTo("traces", [], { source: row.key })}>
            <ApplicationTile name={nameOf(row)} />
            <b>{nameOf(row)}</b>
          </a>
          <small>
            {[row.side === "unknown" ? "" : row.side, row.environment].filter(Boolean).join(", ")}
          </small>
          <small>
            {row.releases[0] && <code>{shortRelease(row.releases[0], row.name)}</code>}{" "}
            <TimeAgo at={row.last_seen} />
          </small>
        </li>
      ))}
    </ul>
  );
}

/** A version without the name of its package: "1.5.0" of "shop-api@1.5.0". */
const shortRelease = (release: string, name: string) =>
  release.startsWith(`${name}@`) ? release.slice(name.length + 1) : release.slice(0, 12);
