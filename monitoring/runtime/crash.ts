/** Milliseconds that the report of what ends the process may take. */
const REPORT_MS = 2_000;

export interface CrashOptions {
  /** Reports what nobody caught. Resolves when it is delivered. */
  readonly report: (error: unknown, ms: number) => Promise<unknown>;
}

/**
 * An uncaught error and an unhandled rejection end the process with code 1, as they do without us;
 * before that they are told on the console and reported.
 */
export function reportCrashes({ report }: CrashOptions): void {
  let ending = false;
  const crash = (event: Event, how: string, error: unknown) => {
    // Else the process ends at once.
    event.preventDefault();
    console.error(`error: ${how}`, error);
    if (ending) return;
    ending = true;
    const end = () => Deno.exit(1);
    // Keeps the process until then, whatever becomes of the report.
    setTimeout(end, REPORT_MS + 500);
    report(error, REPORT_MS).then(end, end);
  };
  addEventListener("error", (event) => crash(event, "Uncaught", event.error));
  addEventListener(
    "unhandledrejection",
    (event) => crash(event, "Uncaught (in promise)", event.reason),
  );
}
