import type { ReactNode } from "react";
import { formatCount } from "../../components/format/count.ts";
import type { ConsoleSource, SourceState } from "../../monitoring/inbox/read/source/source.ts";
import { ClearInbox } from "./clear_inbox.tsx";
import { Import } from "./import.tsx";
import { pause, usePause } from "./pause.ts";
import { saveFile } from "./save_file.ts";
import { Search } from "./search.tsx";
import { useSourceState } from "./source.ts";

/**
 * What stands above every list: search, what flows, pause, export, import, clear.
 *
 * @param props.what the list holds, for those who do not see the heading: "envelopes"
 * @param props.children the view's own filters
 */
export function FeedBar({ source, what, children }: {
  source: ConsoleSource | undefined;
  what: string;
  children?: ReactNode;
}) {
  const now = useSourceState(source);
  const held = usePause();
  // What would be read, emptied or exported is not open to this browser.
  if (now.state === "forbidden") return null;
  return (
    <div className="bar feed">
      <Search what={what} disabled={!source} />
      {children}
      <p>{held ? heldInWords(now, held) : stateInWords(now, source)}</p>
      <button type="button" disabled={!source} onClick={() => pause(held ? undefined : now)}>
        {held ? "Go on" : "Pause"}
      </button>
      <button
        type="button"
        disabled={!source || now.total === 0}
        onClick={() => source && saveFile(source.exported())}
      >
        Export
      </button>
      {source?.importArchive && <Import take={source.importArchive} />}
      {source && (
        <ClearInbox
          total={now.total}
          what={source.scope === "inbox" ? "the inbox" : "the list"}
          clear={async () => {
            await source.clear();
            pause(undefined);
          }}
        />
      )}
    </div>
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
