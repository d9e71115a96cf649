import type { ReportedError } from "../../monitoring/models/error/error_event.ts";
import type { TraceRow } from "../../monitoring/models/rows.ts";
import { CopyButton } from "../shared/CopyButton.tsx";
import { saveFile } from "../shared/FileButton.tsx";
import { Menu } from "../kit/Menu.tsx";
import { errorAsMarkdown } from "./error_as_markdown.ts";
import { errorAsText } from "./error_as_text.ts";
import type { FoundStacks } from "./use_error_event.ts";
import { source } from "../data/source.ts";

/** Copies an error as text or for an assistant, or saves its envelope. */
export function CopyMenu({ event, envelope, stacks }: {
  event: ReportedError;
  envelope: number;
  stacks: FoundStacks["stacks"];
}) {
  const save = () => {
    const href = source.download(envelope);
    if (href !== undefined) saveFile(href, `${event.event_id ?? envelope}.envelope`);
  };
  const markdown = async () => {
    const { trace_id } = event;
    // The error is worth copying without its trace, too.
    const { rows } = trace_id === null
      ? NO_TRACE
      : await source.list("traces", { trace: trace_id, limit: 1 }).catch(() => NO_TRACE);
    return errorAsMarkdown(event, stacks, rows[0]);
  };
  return (
    <Menu label="Copy" name="Copy the error">
      {() => (
        <>
          <CopyButton text={() => errorAsText(event, stacks)}>Copy as text</CopyButton>
          <CopyButton text={markdown}>Copy for an assistant</CopyButton>
          <button type="button" onClick={save}>Download envelope</button>
        </>
      )}
    </Menu>
  );
}

const NO_TRACE: { readonly rows: readonly TraceRow[] } = { rows: [] };
