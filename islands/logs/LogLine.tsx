import { memo } from "react";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import { LogLevel } from "./LogLevel.tsx";
import { logLine } from "./log_text.ts";

/** The cells of one log, as one line. */
export const LogLine = memo(function LogLine({ row }: { row: LogRow }) {
  const { message, attributes } = logLine(row);
  return (
    <>
      <span role="gridcell" className="at">
        <Timestamp at={row.at} precision="ms" />
      </span>
      <span role="gridcell" className="lv">
        <LogLevel level={row.level} />
      </span>
      <span role="gridcell" className="says">
        {message}
        {attributes.map((attribute) => <small key={attribute}>{` ${attribute}`}</small>)}
      </span>
    </>
  );
});
