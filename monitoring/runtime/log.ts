/** What a record can hold beside its message. */
export type LogAttributes = Readonly<Record<string, string | number | boolean>>;
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

/** Says something about the server: a line on its console, and a structured record. */
export type Log = (level: LogLevel, message: string, attributes?: LogAttributes) => void;

/** The line of the console: trouble to standard error, all else to standard output. */
export const logToConsole: Log = (level, message, attributes) => {
  const isTrouble = level === "warn" || level === "error" || level === "fatal";
  const details = attributes === undefined ? "" : ` ${JSON.stringify(attributes)}`;
  (isTrouble ? console.error : console.log)(`${level}: ${message}${details}`);
};
