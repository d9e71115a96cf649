import { changeParams, useFragment } from "./fragment.ts";

/**
 * Selects the value of a parameter of the address. Nothing while there is only one to choose.
 *
 * @param props.label default: the parameter's name
 * @param props.choices may contain a value several times
 */
export function ChoiceFilter(
  { name, label = name[0]!.toUpperCase() + name.slice(1), choices }: {
    name: string;
    label?: string;
    choices: readonly string[];
  },
) {
  const { params } = useFragment();
  const chosen = params.get(name) ?? "";
  // A link may have another value.
  const values = new Set([...choices, ...chosen === "" ? [] : [chosen]]);
  if (values.size < 2 && chosen === "") return null;
  return (
    <label className="filter">
      <span className="vh">{label}</span>
      <select value={chosen} onChange={({ target }) => changeParams({ [name]: target.value })}>
        <option value="">{label}</option>
        {[...values].map((value) => <option key={value}>{value}</option>)}
      </select>
    </label>
  );
}
