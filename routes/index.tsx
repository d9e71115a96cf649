import { ServerConfiguration, SettingsList } from "../components/Configuration.tsx";
import { OutcomeMark } from "../components/OutcomeMark.tsx";
import Console from "../islands/shell/Console.tsx";
import { settings } from "../monitoring/settings.ts";
import { Island, slot } from "../server/page.tsx";

/** The only page: the console, and what it is for those without JavaScript. */
export default function Page({ variant }: { variant: string }) {
  const facts = {
    variant,
    route: slot("route"),
    ingest: slot("ingest"),
    storage: slot("storage"),
    release: slot("release"),
    environment: slot("environment"),
    build: slot("build"),
    sentry: slot("sentry"),
    scripts: slot("scripts"),
    settings,
  };
  return (
    <>
      <title>Sightglass</title>
      <Island of={Console} props={facts} />
      <noscript>
        <div className="noscript">
          <p>
            <OutcomeMark kind="waits" />
            Sightglass is the window on your applications, or with a DSN their way to Sentry.
            JavaScript is off: this page sends no telemetry, and its lists are empty.
          </p>
          <ServerConfiguration {...facts} />
          <SettingsList settings={settings} />
        </div>
      </noscript>
    </>
  );
}
