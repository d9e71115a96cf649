import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { Entries } from "./Entries.tsx";
import { placeOf } from "./error_as_text.ts";
import { SourceExcerpt } from "./SourceExcerpt.tsx";

/** Characters of a name or an address: what is longer was not made to be read. */
const MAX_NAME = 200;

const cut = (text: string) => text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;

/**
 * One call of a stack: what and where in one line, and what is known of it below, if anything is.
 *
 * @param props.open shows at first what is below
 */
export function Frame({ frame, open }: { frame: FoundFrame; open: boolean }) {
  const { source, variables, script } = frame;
  const line = (
    <>
      <code className="call">{cut(frame.function ?? "(anonymous)")}</code>{" "}
      <code className="place">{cut(placeOf(frame))}</code> <WhoseIs own={frame.own} />
    </>
  );
  if (!source && script === null && variables.shown.length === 0) {
    return <div className="frame-line">{line}</div>;
  }
  return (
    <details open={open} className={frame.own === false ? "library" : undefined}>
      <summary className="frame-line">{line}</summary>
      {source && <SourceExcerpt source={source} />}
      {script !== null && (
        <p className="ran">
          <small>
            run as <code>{cut(script)}</code>
          </small>
        </p>
      )}
      <Entries entries={variables} />
    </details>
  );
}

function WhoseIs({ own }: { own: boolean | null }) {
  return own === null ? null : <small className="whose">{own ? "own" : "library"}</small>;
}
