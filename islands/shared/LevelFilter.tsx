import { LOG_LEVELS, type LogLevel } from "../../monitoring/protocol/log_levels.ts";
import { changeParams } from "./fragment.ts";

/** The lowest level in the address; undefined: none, or unknown. */
export function levelParam(params: URLSearchParams): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === params.get("level"));
}

/** Selects the lowest level that is shown. */
export function LevelFilter({ level }: { level: LogLevel | undefined }) {
  return (
    <label className="filter">
      <span className="vh">Level</span>
      <select
        value={level ?? ""}
        onChange={({ target: { value } }) => changeParams({ level: value })}
      >
        <option value="">Level</option>
        {LOG_LEVELS.slice(1).map((level) => (
          <option key={level} value={level}>
            {level === "fatal" ? "fatal" : `${level} and above`}
          </option>
        ))}
      </select>
    </label>
  );
}
