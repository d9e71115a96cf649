import { KeyValueList } from "./KeyValueList.tsx";
import type { PageFacts } from "./page_facts.ts";

type Settings = PageFacts["settings"];

/** The share is of a rate: "10 % of sessions". */
type SettingRow = readonly [name: string, value: string | number, share?: string];

/** What the server's environment variables decide for the page, as texts. */
export function ServerConfiguration(
  { variant, route, ingest, storage, release, environment, build }: PageFacts,
) {
  return (
    <KeyValueList
      entries={[
        {
          name: "Mode",
          value: (
            <>
              {variant}
              <small>
                <code>SENTRY_DSN</code> is {variant === "inbox" ? "not set" : "set"}
              </small>
            </>
          ),
        },
        { name: "Destination", value: ingest },
        { name: "Route", value: route },
        { name: "Stored here", value: storage },
        { name: "Release", value: <code>{release}</code> },
        { name: "Environment", value: environment },
        { name: "Build", value: <code>{build}</code> },
      ]}
    />
  );
}

export function SettingsList({ settings }: { settings: Settings }) {
  const entries = settingRows(settings).map(([name, value, share]) => ({
    name,
    value: (
      <>
        <b>{value}</b>
        {share && <small>{share}</small>}
      </>
    ),
  }));
  return (
    <figure className="settings-list">
      <figcaption>
        <b>Monitoring settings</b>
      </figcaption>
      <KeyValueList entries={entries} />
    </figure>
  );
}

/**
 * Names and values of the settings, in the order of the specification.
 *
 * @param settings as passed to the SDK; rates are from 0 to 1
 */
export function settingRows(settings: Settings): readonly SettingRow[] {
  const { tracesSampleRate, replaysSessionSampleRate, replaysOnErrorSampleRate } = settings;
  return [
    ["Tracing sample rate", tracesSampleRate, `${percent(tracesSampleRate)} of traces`],
    [
      "Session-recording sample rate",
      replaysSessionSampleRate,
      `${percent(replaysSessionSampleRate)} of sessions`,
    ],
    [
      "Session-recording sample rate when an error occurs",
      replaysOnErrorSampleRate,
      `${percent(replaysOnErrorSampleRate)} of the other sessions`,
    ],
    ["Structured logs", settings.enableLogs ? "enabled" : "disabled"],
    ["Text and inputs in recordings", masking(settings)],
    ["Media in recordings", settings.blockAllMedia ? "blocked" : "not blocked"],
  ];
}

/** 0.1 → `10 %`, 0.125 → `12.5 %`. */
const percent = (rate: number) => `${Number((rate * 100).toFixed(3))}\u00a0%`;

function masking({ maskAllText, maskAllInputs }: Settings): string {
  if (maskAllText && maskAllInputs) return "masked";
  if (maskAllText) return "text masked, inputs not masked";
  return maskAllInputs ? "inputs masked, text not masked" : "not masked";
}
