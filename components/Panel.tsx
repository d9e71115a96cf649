import type { ReactNode } from "react";

/**
 * A section of the page with a heading.
 *
 * @param props.id the heading's id; the heading names the region
 * @param props.telemetry blocks the content from session recordings, because it shows telemetry
 */
export function Panel({ id, title, telemetry, children }: {
  id: string;
  title: string;
  telemetry?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
      </header>
      <div className="body" data-sentry-block={telemetry ? "" : undefined}>{children}</div>
    </section>
  );
}
