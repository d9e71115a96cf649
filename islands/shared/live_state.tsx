import { formatCount } from "../../components/format/count.ts";
import type { ConsoleSource, SourceState } from "./source/source.ts";
import { pause, usePause } from "./pause.ts";
import { useSourceState } from "./source.ts";

/**
 * What comes into the lists, in words, and the button that stops all of them as they stand.
 *
 * @param props.takesFocus of the button: what had it is gone
 */
export function Flow({ source, takesFocus = false }: {
  source: ConsoleSource | undefined;
  takesFocus?: boolean;
}) {
  const now = useSourceState(source);
  const held = usePause();
  return (
    <>
      <p>{held ? heldInWords(now, held) : stateInWords(now, source)}</p>
      <button
        type="button"
        disabled={!source}
        autoFocus={takesFocus}
        onClick={() => pause(held ? undefined : now)}
      >
        {held ? "Go on" : "Pause"}
      </button>
    </>
  );
}

function heldInWords(now: SourceState, held: SourceState): string {
  return `Paused; ${formatCount(Math.max(0, now.total - held.total), "envelope")} came since.`;
}

function stateInWords({ state, total }: SourceState, source: ConsoleSource | undefined): string {
  const envelopes = formatCount(total, "envelope");
  switch (state) {
    case "live":
      return source?.scope === "visit" ? `${envelopes} of this visit.` : `Live: ${envelopes}.`;
    case "offline":
      return "The inbox does not answer; trying again.";
    default:
      return "Connecting.";
  }
}
