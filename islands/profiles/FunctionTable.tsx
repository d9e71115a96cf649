import { formatDuration } from "../../components/format.ts";
import type { FunctionRow } from "../../monitoring/models/profile/call_tree.ts";
import type { ProfileContent } from "../../monitoring/models/profile/profile_content.ts";

/** Functions that are listed: the others have hardly any time. */
const MAX_ROWS = 200;

/** The functions of a profile, most self time first. */
export function FunctionTable({ profile, rows }: {
  profile: ProfileContent;
  rows: readonly FunctionRow[];
}) {
  const { frames, interval_ms } = profile;
  const time = (samples: number) => formatDuration(samples * interval_ms);
  return (
    <table className="data-table">
      <caption className="vh">Functions, most self time first</caption>
      <thead>
        <tr>
          <th scope="col">Function</th>
          <th scope="col">Where</th>
          <th scope="col" className="n">Self</th>
          <th scope="col" className="n">Total</th>
          <th scope="col" className="n">Self samples</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map(({ frame, self, total }) => (
          <tr key={frame}>
            <th scope="row">
              <code>{frames[frame]!.function}</code>
            </th>
            <td>
              <code>{placeOf(frames[frame]!)}</code>
            </td>
            <td className="n">{time(self)}</td>
            <td className="n">{time(total)}</td>
            <td className="n">{self}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Where a function is: its file and line. */
export const placeOf = ({ file, line }: ProfileContent["frames"][number]) =>
  file === null ? "native" : line === null ? file : `${file}:${line}`;
