import { changeParams, useFragment } from "./fragment.ts";

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
