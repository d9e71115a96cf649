import type { ReactNode } from "react";
import { Destination } from "../components/Destination.tsx";
import { OutcomeMark } from "../components/OutcomeMark.tsx";
import { Panel } from "../components/Panel.tsx";
import { ServerConfiguration, SettingsTable } from "../components/Configuration.tsx";
import { PAGE_VIEWS } from "../islands/shared/view.ts";
import Consent from "../islands/settings/Consent.tsx";
import Connect from "../islands/overview/Connect.tsx";
import Envelopes from "../islands/envelopes/Envelopes.tsx";
import Errors from "../islands/errors/Errors.tsx";
import Highlights from "../islands/overview/Highlights.tsx";
import Logs from "../islands/logs/Logs.tsx";
import Proof from "../islands/proof/Proof.tsx";
import Receipts from "../islands/overview/Receipts.tsx";
import Recordings from "../islands/recordings/Recordings.tsx";
import Settings from "../islands/settings/Settings.tsx";
import Signals from "../islands/overview/Signals.tsx";
import Strip from "../islands/strip/Strip.tsx";
import Tabs from "../islands/shared/Tabs.tsx";
import Traces from "../islands/traces/Traces.tsx";
import Visit from "../islands/overview/Visit.tsx";
import { settings } from "../monitoring/settings.ts";
import { Island, slot } from "../server/page.tsx";

/** The views that are one list. */
const LISTS = [
  ["traces", Traces],
  ["errors", Errors],
  ["logs", Logs],
  ["recordings", Recordings],
  ["envelopes", Envelopes],
] as const;

/** The only page. Its texts are here, in components/ and in the islands. */
export default function Page({ variant }: { variant: string }) {
  const route = slot("route");
  const ingest = slot("ingest");
  const storage = slot("storage");
  return (
    <>
      <header className="plate">
        <title>Sightglass</title>
        <a href="/">
          <h1>Sightglass</h1>
        </a>
        <p>
          {variant === "inbox"
            ? "Errors, traces and logs of the application that you are developing."
            : "Shows the telemetry that this page sends to Sentry, and whether it arrived."}
        </p>
      </header>
      <main id="main">
        <section className="strip" aria-label="Flow">
          <Island of={Strip} props={{ variant, route, ingest }} />
        </section>
        <Island of={Tabs} props={{ variant }} />
        <noscript>
          <p className="noscript">
            <OutcomeMark kind="waits" />
            JavaScript is off: this page sends no telemetry, its controls are disabled and its lists
            are empty. The configuration is shown below.
          </p>
        </noscript>
        <div className="view overview">
          {variant === "inbox"
            ? (
              <>
                <section className="panel connect" aria-labelledby="connect" data-sentry-block="">
                  <Island of={Connect} load="visible" />
                </section>
                <Island of={Highlights} load="visible" />
              </>
            )
            : (
              <div className="highlights">
                <Panel id="receipts" title="Sent by this page" isUnrecorded>
                  <Island of={Receipts} />
                </Panel>
                <Panel id="destination" title="Destination">
                  <Destination
                    route={route}
                    ingest={ingest}
                    storage={storage}
                    sentry={slot("sentry")}
                  />
                </Panel>
              </div>
            )}
          <Panel
            id="signals"
            title="Generate telemetry"
            links={<a href="#/settings">Prove that it arrives</a>}
          >
            <Island of={Signals} />
          </Panel>
        </div>
        {LISTS.map(([name, list]) => (
          <View key={name} name={name}>
            <Island of={list} load="visible" props={{ variant }} />
          </View>
        ))}
        <div className="view specification">
          <Panel id="configuration" title="Configuration">
            <ServerConfiguration
              variant={variant}
              route={route}
              ingest={ingest}
              storage={storage}
              release={slot("release")}
              environment={slot("environment")}
              build={slot("build")}
            />
            <SettingsTable settings={settings} />
          </Panel>
          <Panel id="visit" title="This visit" isUnrecorded>
            <Island of={Visit} />
          </Panel>
        </div>
        <View name="settings" id="consent" title="Consent">
          <Island of={Consent} load="visible" />
        </View>
        <View name="settings" id="proof" title="Proof of the pipeline">
          <Island of={Proof} load="visible" props={{ variant, route }} />
        </View>
        <View name="settings" title="Cost of monitoring">
          <Island of={Settings} load="visible" props={{ scripts: slot("scripts"), route }} />
        </View>
      </main>
    </>
  );
}

/**
 * A view that fills the page below the tabs. Blocked from session recordings, because it shows telemetry.
 *
 * @param props.title visible heading; default: the tab's title, for screen readers only
 * @param props.id the heading's id
 */
function View({ name, title, id = `${name}-view`, children }: {
  name: keyof typeof PAGE_VIEWS;
  title?: string;
  id?: string;
  children: ReactNode;
}) {
  return (
    <section className={`view panel ${name}`} aria-labelledby={id} data-sentry-block="">
      <header className={title ? undefined : "vh"}>
        <h2 id={id}>{title ?? PAGE_VIEWS[name]}</h2>
      </header>
      {children}
    </section>
  );
}
