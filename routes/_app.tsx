import type { ReactNode } from "react";
import { earlyScript } from "../monitoring/browser/early_errors.ts";
import { InlineScript, PageData } from "../server/page.ts";
import { viewScript } from "./_view_script.ts";

/**
 * The document around every page. The build completes the head: style, import map, preloads, scripts.
 *
 * @param props.variant `inbox` or `relay`, for those who style or test by it
 */
export default function App({ variant, children }: { variant: string; children: ReactNode }) {
  return (
    <html lang="en" data-variant={variant}>
      <head>
        <meta charSet="utf-8" />
        {/* Before any other script: errors from then on are kept until the SDK is there. */}
        <InlineScript code={earlyScript} />
        <InlineScript code={viewScript} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          name="description"
          content="Sightglass shows what a page's own monitoring sends to Sentry, and what becomes of it."
        />
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
      </head>
      <body>
        <a className="skip" href="#main">Skip to the view</a>
        {children}
        {/* Says the title of a page that is navigated to. */}
        <p className="vh" role="status" data-announcer="" />
        <PageData id="client" />
      </body>
    </html>
  );
}
