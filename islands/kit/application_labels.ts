import { ellipsize, formatDuration } from "../../components/format.ts";
import {
  type ApplicationRow,
  clockOffMs,
  nameOf,
} from "../../monitoring/models/application_rows.ts";

/** "9 min 00 s ahead"; empty: see {@linkcode clockOffMs}. */
export function clockOff(application: ApplicationRow): string {
  const off = clockOffMs(application);
  if (off === 0) return "";
  return formatDuration(Math.abs(off)) + (off > 0 ? " ahead" : " behind, or it sends late");
}

/** The sentence on {@linkcode clockOff}. */
export const clockText = (application: ApplicationRow): string =>
  `The clock of ${nameOf(application)} is ${clockOff(application)}.`;

/** Digits of a commit's hash, and characters of another release. */
const SHORT_HASH = 12;
const SHORT_RELEASE = 24;

/** A version without the name of its package: "1.5.0" of "shop-api@1.5.0". What is cut has an ellipsis. */
export function shortRelease(release: string): string {
  const version = release.replace(/^.+@(?=.)/, "");
  return ellipsize(version, /^[\da-f]{20,}$/.test(version) ? SHORT_HASH : SHORT_RELEASE);
}
