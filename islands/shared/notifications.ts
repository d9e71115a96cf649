import type { GroupAlert } from "../../monitoring/models/rows.ts";
import { fragmentTo, goTo } from "./fragment.ts";
import { currentView } from "./view.ts";

/** Of the choice in `localStorage`, which all tabs share. */
const KEY = "sightglass notifications";
const ON = "on";
/** Characters. Systems show two to four lines. */
const MAX_TEXT = 200;

const listeners = new Set<() => void>();

/** Whether this browser can show notifications: on insecure origins it cannot. */
export const isSupported = (): boolean => "Notification" in globalThis && isSecureContext;

/** Whether notifications were turned on, and the browser allows them. */
export function isOn(): boolean {
  return isSupported() && Notification.permission === "granted" && storedChoice() === ON;
}

/** Turns notifications on or off, in all tabs. Call it in a click: the browser may ask the user. */
export async function turn(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission();
  try {
    if (on) localStorage.setItem(KEY, ON);
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked: notifications stay off.
  }
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

/**
 * Shows a notification of a group of errors, with type and message only: other people may see the screen. Nothing
 * while the user looks at the errors. A click opens the group.
 */
export function show({ kind, group, type, message }: GroupAlert): void {
  if (!document.hidden && currentView() === "errors") return;
  const title = `${kind === "new" ? "New error" : "Regression"}: ${type}`;
  const body = message.slice(0, MAX_TEXT).toWellFormed();
  try {
    // The tag replaces an earlier notification of the group.
    const notification = new Notification(title.slice(0, MAX_TEXT), { body, tag: group });
    notification.onclick = () => {
      notification.close();
      focus();
      goTo(fragmentTo("errors", [group]));
    };
  } catch {
    // Chromium on Android: only service workers may show notifications.
  }
}

function storedChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // Storage is blocked.
    return null;
  }
}
