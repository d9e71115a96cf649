import { type ReactNode, useId } from "react";

/** A part of a detail. @param props.beside its heading: links to more */
export function Part({ title, beside, className, children }: {
  title: ReactNode;
  beside?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={className} aria-labelledby={id}>
      <div className="facts ends">
        <h4 id={id}>{title}</h4>
        {beside}
      </div>
      {children}
    </section>
  );
}
