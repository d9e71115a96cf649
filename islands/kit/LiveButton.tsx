import { formatTimeOfDay } from "../../components/format_time.ts";
import { Marked, OutcomeMark } from "../../components/OutcomeMark.tsx";
import { pauseLists, resumeLists, useIsPaused } from "../data/queries.ts";
import { useInboxState } from "../data/inbox_state.ts";

/** Whether the lists follow what arrives, and the switch for it. */
export function LiveButton() {
  const now = useInboxState();
  const isPaused = useIsPaused();
  if (!isPaused && now.state === "offline") return <OfflineMark />;
  if (!isPaused && now.state !== "live") return <Marked as="p" kind="waits">Connecting.</Marked>;
  const [kind, text, next] = isPaused
    ? ["waits", "Paused", "Resume"] as const
    : ["flows", "Live", "Pause"] as const;
  return (
    <button
      type="button"
      className={isPaused ? "waits" : "brief"}
      onClick={isPaused ? resumeLists : pauseLists}
    >
      <OutcomeMark kind={kind} />
      {text}
      <span className="vh">. {next}</span>
    </button>
  );
}

/** States that the inbox is offline, and the time of the data that is shown. Nothing while it answers. */
export function OfflineMark() {
  const { state, liveUntil } = useInboxState();
  if (state !== "offline") return null;
  return (
    <Marked as="p" kind="waits" className="filled offline">
      {/* Without data, the error is shown in its place. */}
      {liveUntil !== undefined && `Offline: data of ${formatTimeOfDay(liveUntil)}. `}Retrying.
    </Marked>
  );
}
