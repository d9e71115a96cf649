import { Destination } from "../components/Destination.tsx";
import { Mark } from "../components/Mark.tsx";
import { Panel } from "../components/Panel.tsx";
import { SettingsTable } from "../components/SettingsTable.tsx";
import { StateFacts } from "../components/StateFacts.tsx";
import InboxList from "../islands/InboxList.tsx";
import Receipts from "../islands/Receipts.tsx";
import Signals from "../islands/Signals.tsx";
import Strip from "../islands/Strip.tsx";
import Visit from "../islands/Visit.tsx";
import { settings } from "../monitoring/settings.ts";
import { Island, slot } from "../server/page.ts";

export const variants = ["inbox", "relay"];

/** The one screen. */
export default function Page({ variant }: { variant: string }) {
  const route = slot("route");
  const ingest = slot("ingest");
  const kept = slot("kept");
  return (
    <>
      <header className="plate">
        <title>Sightglass</title>
        <a href="/">
          <h1>Sightglass</h1>
        </a>
        <p>
          A window in the pipe between this page&#x2019;s own monitoring and Sentry: it shows that
          something flows, and what.
        </p>
      </header>
      <main id="main">
        <section className="strip" aria-label="Flow">
          <Island of={Strip} props={{ variant, route, ingest }} />
        </section>
        <noscript>
          <p className="noscript">
            <Mark kind="waits" />
            JavaScript is off: this page sends nothing, so the glass is still, the signals are
            disabled and the lists stay empty. What is in force stands below all the same.
          </p>
        </noscript>
        <div className="bench">
          <Panel id="signals" title="Make a signal">
            <Island of={Signals} />
          </Panel>
        </div>
        <div className="ledgers">
          <Panel id="receipts" title="Sent by this page" telemetry>
            <Island of={Receipts} />
          </Panel>
          {variant === "inbox"
            ? (
              <Panel id="inbox" title="Arrived in the inbox" telemetry>
                <Island of={InboxList} />
              </Panel>
            )
            : (
              <Panel id="destination" title="Where envelopes go">
                <Destination route={route} ingest={ingest} kept={kept} />
              </Panel>
            )}
        </div>
        <div className="specification">
          <Panel id="visit" title="This visit" telemetry>
            <Island of={Visit} />
          </Panel>
          <Panel id="force" title="In force">
            <StateFacts
              variant={variant}
              route={route}
              ingest={ingest}
              kept={kept}
              release={slot("release")}
              environment={slot("environment")}
              build={slot("build")}
            />
            <SettingsTable settings={settings} />
          </Panel>
        </div>
      </main>
    </>
  );
}
