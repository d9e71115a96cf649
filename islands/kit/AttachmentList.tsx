import { formatBytes } from "../../components/format.ts";
import { OTHER_TYPE } from "../../monitoring/models/feedback/attachment.ts";
import type { AttachmentRow } from "../../monitoring/models/error/related_items.ts";
import { inbox } from "../data/inbox.ts";

/** Where the content of an attachment is. */
export const attachmentHref = ({ envelope, item }: Pick<AttachmentRow, "envelope" | "item">) =>
  `${inbox.path}?attachment=${envelope}.${item}`;

/** Attachments of one envelope or several: their names, types and sizes, and links that save them. */
export function AttachmentList({ rows }: {
  rows: readonly (Omit<AttachmentRow, "content_type"> & { content_type?: string | null })[];
}) {
  return (
    <ul>
      {rows.map((row) => (
        <li key={`${row.envelope} ${row.item}`} className="line">
          <span className="long-text">{row.name}</span>
          <small>
            {row.type === OTHER_TYPE ? row.content_type : row.type} {formatBytes(row.bytes)}
          </small>
          <a href={attachmentHref(row)} download={row.name} aria-label={`Download ${row.name}`}>
            Download
          </a>
        </li>
      ))}
    </ul>
  );
}
