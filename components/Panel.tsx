import type { ReactNode } from "react";

/**
 * A section of the page with a heading.
 *
 * @param props.id the heading's id; the heading names the region
 * @param props.isUnrecorded blocks the content from session recordings: the console must not record itself
 * @param props.links beside the heading
 */
export function Panel({ id, title, isUnrecorded, links, children }: {
  id: string;
  title: string;
  isUnrecorded?: boolean;
  links?: ReactNode;
  children: ReactNode;
}) {
  const block = isUnrecorded ? "" : undefined;
  return (
    <section className="panel card" aria-labelledby={id}>
      <header className="line">
        <h2 id={id}>{title}</h2>
        {links && <div className="facts end" data-sentry-block={block}>{links}</div>}
      </header>
      <div className="body" data-sentry-block={block}>{children}</div>
    </section>
  );
}
