import type { ReactNode } from "react";

/** An error page of the server: title, explanation, link to the start page. */
export function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="main" className="notice spaced">
      <title>{`${title} · Sightglass`}</title>
      <h1>{title}</h1>
      {children}
      <p>
        <a href="/">Open Sightglass</a>
      </p>
    </main>
  );
}
