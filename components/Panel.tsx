import type { ReactNode } from "react";

/**
 * A part of the instrument: a heading, what can be done with the whole part, and its content.
 *
 * @param props.id the heading's id; it names the region
 * @param props.telemetry the part shows telemetry, so recordings leave it out
 */
export function Panel({ id, title, actions, telemetry, children }: {
  id: string;
  title: ReactNode;
  actions?: ReactNode;
  telemetry?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      <div className="body" data-sentry-block={telemetry ? "" : undefined}>{children}</div>
    </section>
  );
}
