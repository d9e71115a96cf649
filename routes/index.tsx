import type { ReactNode } from "react";
import { Destination } from "../components/Destination.tsx";
import { Mark } from "../components/Icon.tsx";
import { OutcomeMark } from "../components/OutcomeMark.tsx";
import { Panel } from "../components/Panel.tsx";
import { ServerConfiguration, SettingsTable } from "../components/Configuration.tsx";
import { PAGE_VIEWS } from "../islands/shared/view.ts";
import Consent from "../islands/settings/Consent.tsx";
import Connect from "../islands/overview/Connect.tsx";
import Envelopes from "../islands/envelopes/Envelopes.tsx";
import Errors from "../islands/errors/Errors.tsx";
import Navigation from "../islands/shell/Navigation.tsx";
import Overview from "../islands/overview/Overview.tsx";
import Logs from "../islands/logs/Logs.tsx";
import Proof from "../islands/proof/Proof.tsx";
import Receipts from "../islands/overview/Receipts.tsx";
import Recordings from "../islands/recordings/Recordings.tsx";
import Settings from "../islands/settings/Settings.tsx";
import Signals from "../islands/settings/Signals.tsx";
import Strip from "../islands/shell/Strip.tsx";
import Traces from "../islands/traces/Traces.tsx";
import Visit from "../islands/settings/Visit.tsx";
import { settings } from "../monitoring/settings.ts";
import { Island, slot } from "../server/page.tsx";

export const variants = ["inbox", "relay"];

/** In relay mode the traces, errors, logs and recordings are in Sentry. */
const INBOX_VIEWS = [
  ["traces", Traces],
  ["errors", Errors],
  ["logs", Logs],
  ["recordings", Recordings],
] as const;

/** The only page. Its texts are here, in components/ and in the islands. */
export default function Page({ variant }: { variant: string }) {
  const route = slot("route");
  const ingest = slot("ingest");
  const storage = slot("storage");
  const isInbox = variant === "inbox";
  return (
    <>
      <div className="sidebar">
        <title>Sightglass</title>
        <a className="brand" href="/">
          <Mark />
          <h1>Sightglass</h1>
        </a>
        <Island of={Navigation} props={{ variant }} />
        <section className="strip" aria-label="Flow">
          <Island of={Strip} props={{ variant, route, ingest }} />
        </section>
      </div>
      <main id="main">
        <noscript>
          <p className="noscript">
            <OutcomeMark kind="waits" />
            JavaScript is off: this page sends no telemetry, its controls are disabled and its lists
            are empty. {isInbox
              ? "With it, the page shows errors, traces and logs of the application that you are developing."
              : "With it, the page shows the telemetry that it sends to Sentry, and whether it arrived."}
            {" "}
            The configuration is shown below.
          </p>
        </noscript>
        {isInbox
          ? (
            <View name="overview">
              <Island of={Overview} load="visible" />
            </View>
          )
          : (
            <View name="overview">
              <div className="highlights">
                <Panel
                  id="receipts"
                  title="Sent by this page"
                  links={<a href="#/envelopes">Their content</a>}
                  isUnrecorded
                >
                  <Island of={Receipts} load="visible" />
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
            </View>
          )}
        {isInbox && INBOX_VIEWS.map(([name, of]) => (
          <View key={name} name={name}>
            <Island of={of} load="visible" props={{ variant }} />
          </View>
        ))}
        {isInbox && (
          <View name="connect" title="Connect an application">
            <Island of={Connect} load="visible" />
          </View>
        )}
        <View name="envelopes">
          <Island of={Envelopes} load="visible" props={{ variant }} />
        </View>
        <View name="settings" isRecorded>
          <Panel
            id="signals"
            title="Generate telemetry"
            links={<a href="#proof">Prove that it arrives</a>}
          >
            <Island of={Signals} load="visible" />
          </Panel>
          <div className="specification">
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
              <Island of={Visit} load="visible" />
            </Panel>
          </div>
          <Panel id="consent" title="Consent" isUnrecorded>
            <Island of={Consent} load="visible" />
          </Panel>
          <Panel id="proof" title="Proof of the pipeline" isUnrecorded>
            <Island of={Proof} load="visible" props={{ variant, route }} />
          </Panel>
          <Panel id="cost" title="Cost of monitoring" isUnrecorded>
            <Island of={Settings} load="visible" props={{ scripts: slot("scripts"), route }} />
          </Panel>
        </View>
      </main>
    </>
  );
}

/**
 * A view: one of them is shown. Blocked from session recordings, because it shows telemetry.
 *
 * @param props.title visible heading; default: the view's
 * @param props.isRecorded only parts of it are blocked
 */
function View({ name, title = PAGE_VIEWS[name], isRecorded, children }: {
  name: keyof typeof PAGE_VIEWS;
  title?: string;
  isRecorded?: boolean;
  children: ReactNode;
}) {
  const block = isRecorded ? undefined : "";
  return (
    <section
      className={`view ${name}`}
      aria-labelledby={`${name}-view`}
      data-sentry-block={block}
    >
      <header className="view-head">
        <h2 id={`${name}-view`}>{title}</h2>
      </header>
      {children}
    </section>
  );
}
