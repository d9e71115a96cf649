import { useSyncExternalStore } from "react";
import * as notifications from "../data/notifications.ts";

/** The button that turns browser notifications of new and regressed groups on and off. */
export function NotificationSwitch() {
  const state = useSyncExternalStore(notifications.subscribe, readState);
  if (!notifications.isSupported()) return null;
  if (state === "denied") {
    return <small>The browser blocks notifications of this page.</small>;
  }
  return (
    <button
      type="button"
      aria-pressed={state === "on"}
      title="A browser notification for each new or regressed error while this view is not visible"
      onClick={() => void notifications.turn(state === "off")}
    >
      Notify me
    </button>
  );
}

function readState(): "on" | "off" | "denied" {
  if (notifications.isOn()) return "on";
  return Notification.permission === "denied" ? "denied" : "off";
}
