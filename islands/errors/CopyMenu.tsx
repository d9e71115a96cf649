import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import { inbox } from "../data/inbox.ts";
import { Menu } from "../kit/Menu.tsx";
import { CopyButton } from "../kit/CopyButton.tsx";
import { saveFile } from "../kit/FileButton.tsx";

/** Copies an error as text or for an assistant, or saves its envelope. */
export function CopyMenu({ content }: { content: ErrorContent }) {
  const { event, envelope, text, markdown } = content;
  const save = () =>
    saveFile(`${inbox.path}?id=${envelope}`, `${event.event_id ?? envelope}.envelope`);
  return (
    <Menu label="Copy" name="Copy the error">
      {() => (
        <>
          <CopyButton text={() => text}>Copy as text</CopyButton>
          <CopyButton text={() => markdown}>Copy for an assistant</CopyButton>
          <button type="button" onClick={save}>Download envelope</button>
        </>
      )}
    </Menu>
  );
}
