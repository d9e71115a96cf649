import type { ReactNode } from "react";
import { InlineScript, PageData, slot } from "../../../page.tsx";

export default function App({ variant, children }: { variant: string; children: ReactNode }) {
  return (
    <html lang="en" data-variant={variant}>
      <head>
        <meta charSet="utf-8" />
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        <InlineScript code="self.early = 1 < 2 && 'inline';" />
      </head>
      <body title={slot("place")}>
        {children}
        <p role="status" data-announcer="" />
        <PageData id="client" />
      </body>
    </html>
  );
}
