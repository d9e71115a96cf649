import { useFragment } from "../data/fragment.ts";

/**
 * The choices of a parameter of a view's address, as links beside each other.
 *
 * @param props.choices values and their titles; undefined: without the parameter
 * @param props.instead a parameter of the address which the choices remove
 */
export function Segmented({ label, name, choices, instead = "", className = "" }: {
  label: string;
  name: string;
  choices: readonly (readonly [value: string | undefined, title: string])[];
  instead?: string;
  className?: string;
}) {
  const { path, params, to } = useFragment();
  const current = params.has(instead) ? null : params.get(name) ?? undefined;
  return (
    <nav className={`segmented well ${className}`.trim()} aria-label={label}>
      {choices.map(([value, title]) => (
        <a
          key={title}
          className="bare quiet"
          href={to(path, { [instead]: undefined, [name]: value })}
          aria-current={value === current ? "true" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
