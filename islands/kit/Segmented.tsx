import { fragmentTo, useFragment } from "../data/fragment.ts";
import { useView } from "../data/view.ts";

/**
 * The choices of a parameter of a view's address, as links beside each other.
 *
 * @param props.choices values and their titles; undefined: without the parameter
 * @param props.chosen default: the value in the address
 */
export function Segmented({ label, name, choices, className = "" }: {
  label: string;
  name: string;
  choices: readonly (readonly [value: string | undefined, title: string])[];
  className?: string;
}) {
  const { id } = useView();
  const { path, params } = useFragment();
  const current = params.get(name) ?? undefined;
  return (
    <nav className={`segmented well ${className}`.trim()} aria-label={label}>
      {choices.map(([value, title]) => (
        <a
          key={title}
          className="bare quiet"
          href={fragmentTo(id, path, { ...Object.fromEntries(params), [name]: value })}
          aria-current={value === current ? "true" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
