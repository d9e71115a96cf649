import type { ReactNode } from "react";
import type { ConsoleSource } from "./source/source.ts";
import { ClearInbox } from "./clear_inbox.tsx";
import { Import } from "./import.tsx";
import { Flow } from "./live_state.tsx";
import { pause } from "./pause.ts";
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
  // What would be read, deleted or exported is not open to this browser.
  if (now.state === "forbidden") return null;
  return (
    <div className="bar feed">
      <Search what={what} disabled={!source} />
      {children}
      <Flow source={source} />
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
          canStore={now.canStore}
          clear={async () => {
            await source.clear();
            pause(undefined);
          }}
        />
      )}
    </div>
  );
}
