import type { ReactNode } from "react";
import { NARROW, SIDEBAR_KEY, TRACE_FRAGMENT } from "../islands/shell/Navigation.tsx";
import { showOnly } from "../islands/data/view.ts";
import { VIEWS } from "../islands/shell/registry.ts";
import { earlyScript } from "../monitoring/browser/early_errors.ts";
import { InlineScript, PageData } from "../server/page.tsx";

/**
 * Before the first paint: shows the current view alone, as the navigation does later, and sets whether the sidebar was
 * folded last. Reading `localStorage` throws where the user has forbidden it.
 */
const viewScript =
  `!function(d){d.view=(/^#\\/(${
    VIEWS.map(({ id }) => id).join("|")
  })\\b/.exec(location.hash)||[0,"overview"])[1];` +
  `(document.adoptedStyleSheets=[new CSSStyleSheet])[0].replaceSync("${showOnly('"+d.view+"')}");` +
  `d.sidebar=matchMedia(${TRACE_FRAGMENT}.test(location.hash)?"${NARROW.trace}":"${NARROW.usual}")` +
  `.matches?"folded":"open";` +
  `try{d.sidebar=localStorage["${SIDEBAR_KEY}"]||d.sidebar}catch{}}(document.documentElement.dataset)`;

/** The document around every page. The build completes the head: style, import map, preloads, scripts. */
export default function App({ variant, children }: { variant: string; children: ReactNode }) {
  return (
    <html lang="en" data-variant={variant}>
      <head>
        <meta charSet="utf-8" />
        {/* The first script: keeps errors until the SDK has loaded. */}
        <InlineScript code={earlyScript} />
        <InlineScript code={viewScript} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          name="description"
          content="The window on your applications, and with a DSN their way to Sentry"
        />
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
      </head>
      <body>
        <a className="skip vh" href="#main">Skip to content</a>
        {/* Announces the title after a client navigation. At the top: at the end it would scroll. */}
        <p className="vh" role="status" data-announcer="" />
        {children}
        <PageData id="client" />
      </body>
    </html>
  );
}
