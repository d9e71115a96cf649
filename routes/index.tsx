import type { ReactNode } from "react";
import { Destination } from "../components/Destination.tsx";
import { Mark } from "../components/Mark.tsx";
import { Panel } from "../components/Panel.tsx";
import { SettingsTable } from "../components/SettingsTable.tsx";
import { StateFacts } from "../components/StateFacts.tsx";
import { VIEWS } from "../islands/shared/view.ts";
import Envelopes from "../islands/envelopes/Envelopes.tsx";
import Errors from "../islands/errors/Errors.tsx";
import InboxList from "../islands/overview/InboxList.tsx";
import Logs from "../islands/logs/Logs.tsx";
import Receipts from "../islands/overview/Receipts.tsx";
import Settings from "../islands/settings/Settings.tsx";
import Signals from "../islands/overview/Signals.tsx";
import Strip from "../islands/strip/Strip.tsx";
import Tabs from "../islands/shared/Tabs.tsx";
import Traces from "../islands/traces/Traces.tsx";
import Visit from "../islands/overview/Visit.tsx";
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
        <Island of={Tabs} />
        <noscript>
          <p className="noscript">
            <Mark kind="waits" />
            JavaScript is off: this page sends nothing, so the glass is still, the signals are
            disabled and the lists stay empty. What is in force stands below all the same.
          </p>
        </noscript>
        <div className="view overview">
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
                  <Island of={InboxList} load="visible" />
                </Panel>
              )
              : (
                <Panel id="destination" title="Where envelopes go">
                  <Destination route={route} ingest={ingest} kept={kept} />
                </Panel>
              )}
          </div>
        </div>
        <View name="traces">
          <Island of={Traces} load="visible" props={{ variant }} />
        </View>
        <View name="errors">
          <Island of={Errors} load="visible" props={{ variant }} />
        </View>
        <View name="logs">
          <Island of={Logs} load="visible" props={{ variant }} />
        </View>
        <View name="envelopes">
          <Island of={Envelopes} load="visible" props={{ variant }} />
        </View>
        <View name="settings" title="What monitoring costs">
          <Island of={Settings} load="visible" props={{ scripts: slot("scripts"), route }} />
        </View>
        <div className="view specification">
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

/**
 * A view that fills the page below the tabs. Recordings leave it out: it shows telemetry.
 *
 * @param props.title its heading, where the tab above does not say the same to those who see it
 */
function View({ name, title, children }: {
  name: keyof typeof VIEWS;
  title?: string;
  children: ReactNode;
}) {
  const id = `${name}-view`;
  return (
    <section className={`view panel ${name}`} aria-labelledby={id} data-sentry-block="">
      <header className={title ? undefined : "vh"}>
        <h2 id={id}>{title ?? VIEWS[name]}</h2>
      </header>
      {children}
    </section>
  );
}
