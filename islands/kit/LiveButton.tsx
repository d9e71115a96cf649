import { formatCount } from "../../components/format.ts";
import { pauseLists, resumeLists, usePausedState, useSourceState } from "../data/queries.ts";

/** Whether the lists follow what arrives, and the switch for it. While they are paused: what has arrived since. */
export function LiveButton() {
  const now = useSourceState();
  const paused = usePausedState();
  if (paused) {
    return (
      <button type="button" className="live paused" onClick={resumeLists}>
        <i aria-hidden="true" />
        Paused, {formatCount(Math.max(0, now.total - paused.total), "new envelope")}
        <span className="vh">. Resume</span>
      </button>
    );
  }
  if (now.state !== "live") {
    return (
      <p className="live away">
        <i aria-hidden="true" />
        {now.state === "offline" ? "Offline: the inbox does not respond. Retrying." : "Connecting."}
      </p>
    );
  }
  return (
    <button type="button" className="live" onClick={() => pauseLists(now)}>
      <i aria-hidden="true" />
      Live<span className="vh">. Pause</span>
    </button>
  );
}
