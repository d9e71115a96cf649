import { cutText, formatCount } from "../../components/format.ts";
import type { GroupAlert } from "../../monitoring/models/error/error_row.ts";
import { fragmentTo, goTo } from "./fragment.ts";
import { currentView } from "./view.ts";
import { storeChoice, storedChoice } from "./stored_choice.ts";

/** In `localStorage`, which all tabs share. */
const KEY = "sightglass notifications";
const ON = "on";
/** Characters. Systems show two to four lines. */
const MAX_TEXT = 200;

/** So many groups in this time have a notification each. The others share one. */
const MAX_SINGLE = 3;
const SINGLE_MS = 60_000;
/** Time in which further groups are counted before the shared notification is shown again. */
const SUMMARY_MS = 1_000;

const listeners = new Set<() => void>();
/** Times of the last notifications of single groups, milliseconds since 1970. */
let singles: readonly number[] = [];
/** Groups since the last of them, which share a notification. */
let others = 0;
let summaryTimer: ReturnType<typeof setTimeout> | undefined;

/** Whether this browser can show notifications: on insecure origins it cannot. */
export const isSupported = (): boolean => "Notification" in globalThis && isSecureContext;

/** Whether notifications were turned on, and the browser allows them. */
export function isOn(): boolean {
  return isSupported() && Notification.permission === "granted" && storedChoice(KEY) === ON;
}

/** Turns notifications on or off, in all tabs. Call it in a click: the browser may ask the user. */
export async function turn(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission();
  // Without storage they stay off.
  storeChoice(KEY, on ? ON : undefined);
  for (const listener of listeners) listener();
}

/** Calls back when they were turned on or off, here or in another tab. Returns the function that unsubscribes. */
export function subscribe(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => key === KEY && listener();
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
  };
}

/** Whether the user looks at the errors in this tab. */
export const areErrorsVisible = (): boolean => !document.hidden && currentView() === "errors";

/**
 * Shows a notification of a group of errors, with type and message only: other people may see the screen. A click opens
 * the group. When many groups come at once, most share a notification that has their number and opens the list.
 */
export function show({ kind, group, type, message }: GroupAlert): void {
  const now = Date.now();
  singles = singles.filter((at) => now - at < SINGLE_MS);
  if (singles.length >= MAX_SINGLE) {
    others++;
    summaryTimer ??= setTimeout(showSummary, SUMMARY_MS);
    return;
  }
  singles = [...singles, now];
  others = 0;
  const title = `${kind === "new" ? "New error" : "Regression"}: ${type}`;
  const body = cutText(message, MAX_TEXT);
  notify(title.slice(0, MAX_TEXT), { body, tag: group }, fragmentTo("errors", [group]));
}

function showSummary(): void {
  summaryTimer = undefined;
  if (others === 0) return;
  const body = "Click to see all errors.";
  const title = formatCount(others, "more new or regressed error");
  notify(title, { body, tag: "more errors" }, fragmentTo("errors"));
}

/** @param options.tag replaces an earlier notification with the same tag */
function notify(title: string, options: NotificationOptions, href: string): void {
  try {
    const notification = new Notification(title, options);
    notification.onclick = () => {
      notification.close();
      focus();
      goTo(href);
    };
  } catch {
    // Chromium on Android: only service workers may show notifications.
  }
}
