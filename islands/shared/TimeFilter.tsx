import { isAge } from "../../monitoring/models/time_bound.ts";
import { changeParams, useFragment } from "./fragment.ts";

const AGES = { "10m": "last 10 minutes", "1h": "last hour", "1d": "last day" };
const CUSTOM = "custom";
const HOUR_MS = 3_600_000;

/** Chooses the time of the rows that the lists show: up to now, or between two times. */
export function TimeFilter() {
  const { params } = useFragment();
  const since = params.get("since") ?? "";
  const until = params.get("until") ?? "";
  const isUpToNow = until === "" && (since === "" || isAge(since));
  const value = isUpToNow ? since : CUSTOM;
  const choose = (chosen: string) =>
    changeParams(
      chosen === CUSTOM
        ? { since: String(Date.now() - HOUR_MS), until: String(Date.now()) }
        : { since: chosen, until: undefined },
    );
  return (
    <>
      <label className="filter">
        <span className="vh">Time</span>
        <select value={value} onChange={({ target }) => choose(target.value)}>
          <option value="">Time</option>
          {Object.entries(AGES).map(([age, title]) => <option key={age} value={age}>{title}
          </option>)}
          {/* A link may have another age. */}
          {isUpToNow && since !== "" && !Object.hasOwn(AGES, since) && (
            <option value={since}>last {since}</option>
          )}
          <option value={CUSTOM}>from … to …</option>
        </select>
      </label>
      {!isUpToNow && (
        <span className="line">
          <TimeField title="From" value={since} change={(since) => changeParams({ since })} />
          <TimeField title="To" value={until} change={(until) => changeParams({ until })} />
        </span>
      )}
    </>
  );
}

/** @param props.value milliseconds since 1970 as text; an age or an empty text is no time */
function TimeField({ title, value, change }: {
  title: string;
  value: string;
  change: (value: string) => void;
}) {
  return (
    <label className="filter">
      {title}{" "}
      <input
        type="datetime-local"
        value={toLocalTime(value)}
        onChange={({ target }) => {
          const ms = Date.parse(target.value);
          // An incomplete input has no time.
          if (!Number.isNaN(ms)) change(String(ms));
          else if (target.value === "" && !target.validity.badInput) change("");
        }}
      />
    </label>
  );
}

/** The form of `datetime-local`, in the browser's time zone. */
export function toLocalTime(ms: string): string {
  const time = new Date(/^\d{1,14}$/.test(ms) ? Number(ms) : NaN);
  if (Number.isNaN(time.getTime())) return "";
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
