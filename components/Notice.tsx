import type { ReactNode } from "react";

/** A page that has one thing to say, in place of the instrument. */
export function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="main" className="notice">
      <title>{`${title} · Sightglass`}</title>
      <h1>{title}</h1>
      {children}
      <p>
        <a href="/">Go to Sightglass</a>
      </p>
    </main>
  );
}
