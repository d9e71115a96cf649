import { LOG_LEVELS, type LogLevel } from "../../monitoring/protocol/log_levels.ts";
import { changeParams, useFragment } from "./fragment.ts";

/**
 * Selects the value of a parameter of the address. Nothing while there is only one to choose.
 *
 * @param props.label default: the parameter's name
 * @param props.any selects no value; default: the label
 * @param props.choices values, or pairs of a value and its text; may contain a value several times
 */
export function ChoiceFilter(
  { name, label = name[0]!.toUpperCase() + name.slice(1), any = label, choices }: {
    name: string;
    label?: string;
    any?: string;
    choices: readonly (string | readonly [value: string, text: string])[];
  },
) {
  const { params } = useFragment();
  const chosen = params.get(name) ?? "";
  const texts = new Map(
    choices.map((choice) => typeof choice === "string" ? [choice, choice] : choice),
  );
  // A link may have another value.
  if (chosen !== "" && !texts.has(chosen)) texts.set(chosen, chosen);
  if (texts.size < 2 && chosen === "") return null;
  return (
    <label className="filter">
      <span className="vh">{label}</span>
      <select value={chosen} onChange={({ target }) => changeParams({ [name]: target.value })}>
        <option value="">{any}</option>
        {[...texts].map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
}

/** The lowest level in the address; undefined: none, or unknown. */
export function levelParam(params: URLSearchParams): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === params.get("level"));
}

/** Selects the lowest level that is shown. */
export function LevelFilter() {
  return <ChoiceFilter name="level" choices={LEVELS} />;
}

const LEVELS = LOG_LEVELS.slice(1).map((level) =>
  [level, level === "fatal" ? level : `${level} and above`] as const
);

/** A button that sets a parameter of the address to a value, or removes it. */
export function ToggleFilter({ name, value, children }: {
  name: string;
  value: string;
  children: string;
}) {
  const { params } = useFragment();
  const isOn = params.get(name) === value;
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => changeParams({ [name]: isOn ? undefined : value })}
    >
      {children}
    </button>
  );
}
