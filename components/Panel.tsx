import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon.tsx";

/**
 * A section of the page with a heading.
 *
 * @param props.id the heading's id; the heading names the region
 * @param props.isUnrecorded blocks the content from session recordings: the console must not record itself
 * @param props.links beside the heading
 */
export function Panel({ id, title, icon, isUnrecorded, links, children }: {
  id: string;
  title: string;
  icon?: IconName;
  isUnrecorded?: boolean;
  links?: ReactNode;
  children: ReactNode;
}) {
  const block = isUnrecorded ? "" : undefined;
  return (
    <section className="panel card" aria-labelledby={id}>
      <header className="line">
        {icon && <Icon name={icon} />}
        <h2 id={id}>{title}</h2>
        {links && <div className="end" data-sentry-block={block}>{links}</div>}
      </header>
      <div className="body" data-sentry-block={block}>{children}</div>
    </section>
  );
}
