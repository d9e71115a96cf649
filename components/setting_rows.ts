/** The settings that the page shows; `monitoring/settings.ts` holds them. */
export interface Settings {
  readonly tracesSampleRate: number;
  readonly replaysSessionSampleRate: number;
  readonly replaysOnErrorSampleRate: number;
  readonly enableLogs: boolean;
  readonly maskAllText: boolean;
  readonly maskAllInputs: boolean;
  readonly blockAllMedia: boolean;
}

export interface SettingRow {
  readonly name: string;
  readonly value: string;
  /** What the value is a share of; undefined where the value says it all. */
  readonly of?: string;
}

/** A share from 0 to 1 in hundredths, without a trailing zero: 0.1 → `10 %`, 0.125 → `12.5 %`. */
const percent = (rate: number) => `${Number((rate * 100).toFixed(3))}\u00a0%`;

/** Text and inputs share a row: `masked` only when both are, else what is left open is named. */
function masking({ maskAllText, maskAllInputs }: Settings): string {
  if (maskAllText && maskAllInputs) return "masked";
  if (maskAllText) return "text masked, inputs as typed";
  return maskAllInputs ? "inputs masked, text as shown" : "as shown";
}

/**
 * The settings in words, in the order of the specification.
 *
 * @param settings what the SDK is configured with; rates are shares from 0 to 1
 */
export function settingRows(settings: Settings): readonly SettingRow[] {
  return [
    {
      name: "Tracing sample rate",
      value: String(settings.tracesSampleRate),
      of: `${percent(settings.tracesSampleRate)} of traces`,
    },
    {
      name: "Session-recording sample rate",
      value: String(settings.replaysSessionSampleRate),
      of: `${percent(settings.replaysSessionSampleRate)} of sessions`,
    },
    {
      name: "Session-recording sample rate when an error occurs",
      value: String(settings.replaysOnErrorSampleRate),
      of: `${percent(settings.replaysOnErrorSampleRate)} of the others`,
    },
    { name: "Structured logs", value: settings.enableLogs ? "enabled" : "disabled" },
    { name: "Text and inputs in recordings", value: masking(settings) },
    { name: "Media in recordings", value: settings.blockAllMedia ? "blocked" : "as shown" },
  ];
}
