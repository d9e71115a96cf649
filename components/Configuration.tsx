import { DataTable } from "./DataTable.tsx";
import { KeyValueList } from "./KeyValueList.tsx";

/** The monitoring settings that the page shows; `monitoring/settings.ts` defines them. */
export interface Settings {
  readonly tracesSampleRate: number;
  readonly replaysSessionSampleRate: number;
  readonly replaysOnErrorSampleRate: number;
  readonly enableLogs: boolean;
  readonly maskAllText: boolean;
  readonly maskAllInputs: boolean;
  readonly blockAllMedia: boolean;
}

interface SettingRow {
  readonly name: string;
  readonly value: string;
  /** Of a rate: "10 % of sessions". */
  readonly share?: string;
}

/** What the server's environment variables decide for the page, as texts. */
export function ServerConfiguration(
  { variant, route, ingest, storage, release, environment, build }: {
    variant: string;
    route: string;
    ingest: string;
    storage: string;
    release: string;
    environment: string;
    build: string;
  },
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

/** The monitoring settings. */
export function SettingsTable({ settings }: { settings: Settings }) {
  return (
    <DataTable
      className="settings-table"
      caption="Monitoring settings"
      columns={[{ title: "Setting" }, { title: "Value" }]}
      visible="caption"
    >
      {settingRows(settings).map(({ name, value, share }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>
            <b>{value}</b>
            {share && <small>{share}</small>}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/**
 * Names and values of the settings, in the order of the specification.
 *
 * @param settings as passed to the SDK; rates are from 0 to 1
 */
export function settingRows(settings: Settings): readonly SettingRow[] {
  return [
    {
      name: "Tracing sample rate",
      value: String(settings.tracesSampleRate),
      share: `${percent(settings.tracesSampleRate)} of traces`,
    },
    {
      name: "Session-recording sample rate",
      value: String(settings.replaysSessionSampleRate),
      share: `${percent(settings.replaysSessionSampleRate)} of sessions`,
    },
    {
      name: "Session-recording sample rate when an error occurs",
      value: String(settings.replaysOnErrorSampleRate),
      share: `${percent(settings.replaysOnErrorSampleRate)} of the other sessions`,
    },
    { name: "Structured logs", value: settings.enableLogs ? "enabled" : "disabled" },
    { name: "Text and inputs in recordings", value: masking(settings) },
    { name: "Media in recordings", value: settings.blockAllMedia ? "blocked" : "not blocked" },
  ];
}

/** 0.1 → `10 %`, 0.125 → `12.5 %`. */
const percent = (rate: number) => `${Number((rate * 100).toFixed(3))}\u00a0%`;

function masking({ maskAllText, maskAllInputs }: Settings): string {
  if (maskAllText && maskAllInputs) return "masked";
  if (maskAllText) return "text masked, inputs not masked";
  return maskAllInputs ? "inputs masked, text not masked" : "not masked";
}
