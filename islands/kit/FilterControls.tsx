import { Id } from "../../components/Id.tsx";
import { Icon } from "../../components/Icon.tsx";
import { formatDateAndTime, formatTimeOfDay } from "../../components/format_time.ts";
import { labelsByKey, OWN_APPLICATION } from "../../monitoring/models/application_rows.ts";
import { APPLICATIONS, type ListName } from "../../monitoring/models/list_query.ts";
import { HOUR_MS, isAge } from "../../monitoring/models/time_units.ts";
import { useApplications } from "../data/lists.ts";
import { AGES, ALL, choicesOf, type Filter, pageFilters, RANGES, textOf } from "../data/filters.ts";
import { changeParams, fragmentTo, useFragment } from "../data/fragment.ts";
import { useView } from "../data/view.ts";
import { showHelp } from "./use_keys.ts";
import { Menu } from "./Menu.tsx";
import { Segmented } from "./Segmented.tsx";

/** The filters of a list that the menu offers, with what can be chosen now. */
export function useChoices(of: ListName | undefined): readonly Filter[] {
  const { params } = useFragment();
  const chosen = params.get("application") ?? APPLICATIONS;
  const list = useApplications();
  const rows =
    list?.rows.filter(({ key }) =>
      chosen === APPLICATIONS ? key !== OWN_APPLICATION.key : [ALL, key].includes(chosen)
    ) ?? [];
  return pageFilters(of).filter(({ choices, known }) => choices ?? known).map((filter) =>
    filter.known ? { ...filter, choices: filter.known({ rows, ops: list?.ops ?? [] }) } : filter
  );
}

const labelOf = ({ name, label }: Filter) => label ?? name[0]!.toUpperCase() + name.slice(1);

/** The filters that are set, with the parameters of the address that each has. */
function useSetFilters(filters: readonly Filter[]) {
  const { params } = useFragment();
  const range = customRange(params);
  return [
    ...filters.flatMap((filter) => {
      const value = params.get(filter.name) ?? "";
      const text = textOf(filter, value);
      const shown = filter.opens && (
        <a href={fragmentTo(filter.opens, [value])}>
          <Id id={value} />
        </a>
      );
      const set = { names: [filter.name], label: labelOf(filter), shown };
      return text === undefined ? [] : [{ ...set, text }];
    }),
    ...range
      ? [{
        names: ["since", "until"],
        label: "Time",
        text: `${timeText(range.since)} – ${timeText(range.until)}`,
        shown: undefined,
      }]
      : [],
  ];
}

const remove = (names: readonly string[]) =>
  changeParams(Object.fromEntries(names.map((name) => [name, undefined])));

/** The filters that are set, each with a button that removes it. */
export function Chips({ filters }: { filters: readonly Filter[] }) {
  return useSetFilters(filters).map(({ names, label, text, shown = text }) => (
    <span key={label} className="chip card beside small">
      {label}: <b className="one-line">{shown}</b>
      <button
        type="button"
        className="bare"
        aria-label={`Remove ${label}: ${text}`}
        onClick={() =>
          remove(names)}
      >
        <Icon name="remove" />
      </button>
    </span>
  ));
}

/** Buttons that remove what has left no rows. @param props.of the list */
export function SetFilters({ of }: { of: ListName | undefined }) {
  const { id } = useView();
  const { path, params } = useFragment();
  const [q = "", since = ""] = ["q", "since"].map((name) => params.get(name) ?? "");
  const applications = useApplications();
  const sender = labelsByKey(applications?.rows ?? []).get(params.get("application") ?? "");
  const set = [
    ...useSetFilters(useChoices(of)),
    ...isAge(since) ? [{ names: ["since"], label: "Time", text: since }] : [],
    ...q === "" ? [] : [{ names: ["q"], label: "Search", text: q }],
    ...sender === undefined ? [] : [{ names: ["application"], label: "Application", text: sender }],
  ];
  return (
    <div className="line">
      {set.map(({ names, label, text }) => (
        <button
          key={label}
          type="button"
          className="one-line"
          onClick={() => remove(names)}
        >
          Remove {label}: {text}
        </button>
      ))}
      <a href={fragmentTo(id, path)}>Clear all</a>
    </div>
  );
}

/** The filters that have something to choose, behind a button. */
export function FilterMenu({ filters }: { filters: readonly Filter[] }) {
  const { params } = useFragment();
  const useful = filters.flatMap((filter) => {
    const chosen = params.get(filter.name) ?? "";
    const choices = new Map(choicesOf(filter));
    const text = textOf(filter, chosen);
    if (text !== undefined) choices.set(chosen, text);
    // A single release is no choice. A single value of another filter is: it can be turned on.
    const isChoice = choices.size > (filter.known && chosen === "" ? 1 : 0);
    return isChoice && filter.choices ? [{ filter, choices: [...choices], chosen }] : [];
  });
  return (
    <Menu label="Filter" name="Filters" look="bare quiet">
      {() => (
        <>
          {useful.map(({ filter, choices, chosen }) => (
            <ParamSelect
              key={filter.name}
              label={labelOf(filter)}
              name={filter.name}
              value={chosen}
              choices={[["", filter.any ?? "any"], ...choices]}
              look="filter"
            />
          ))}
          {([["From", "since"], ["To", "until"]] as const).map(([title, name]) => (
            <TimeField
              key={name}
              title={title}
              value={params.get(name) ?? ""}
              change={(ms) => changeParams({ [name]: ms })}
            />
          ))}
          <button type="button" onClick={showHelp}>Queries and keys</button>
        </>
      )}
    </Menu>
  );
}

/** Chooses a parameter of the address. */
export function ParamSelect({ label, name, value, choices, look = "beside" }: {
  label: string;
  name: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  look?: "beside" | "filter";
}) {
  return (
    <label className={`${look} quiet`}>
      {label}
      <select value={value} onChange={({ target }) => changeParams({ [name]: target.value })}>
        {choices.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
}

const CUSTOM = "custom";

/** Start and end of a range that is not up to now, as in the address. */
function customRange(params: URLSearchParams) {
  const since = params.get("since") ?? "";
  const until = params.get("until") ?? "";
  return until === "" && (since === "" || isAge(since)) ? undefined : { since, until };
}

const timeText = (time: string) =>
  isAge(time)
    ? `${time} ago`
    : /^\d{1,14}$/.test(time)
    ? formatDateAndTime(Number(time), Date.now(), formatTimeOfDay)
    : "…";

/** Chooses the time of the rows: up to now, or between two times. Where there is room as links, else as a select. */
export function TimeFilter() {
  const { params } = useFragment();
  const isCustom = customRange(params) !== undefined;
  const since = params.get("since") ?? "";
  // A link may have another age.
  const other = !isCustom && since !== "" && !Object.hasOwn(AGES, since) ? [since] : [];
  const choose = (chosen: string) =>
    changeParams(
      chosen === CUSTOM
        ? { since: String(Date.now() - HOUR_MS), until: String(Date.now()) }
        : { since: chosen, until: undefined },
    );
  return (
    <>
      <Segmented
        className="ranges"
        label="Time"
        name="since"
        instead="until"
        choices={[...RANGES, ...other.map((age) => [age, age] as const)]}
      />
      <label>
        <span className="vh">Time</span>
        <select
          value={isCustom ? CUSTOM : since}
          onChange={({ target }) => choose(target.value)}
        >
          {RANGES.map(([age = "", time]) => <option key={age} value={age}>{time}</option>)}
          {other.map((age) => <option key={age} value={age}>{age}</option>)}
          <option value={CUSTOM}>From … to …</option>
        </select>
      </label>
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
    <label className="filter quiet">
      {title}
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
