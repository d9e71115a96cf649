import { formatBytes } from "../../components/format.ts";
import { isImage } from "../../monitoring/models/feedback/attachment.ts";
import type { AttachmentRow } from "../../monitoring/models/error/related_items.ts";
import { inbox } from "../data/inbox.ts";

/** Attachments of one envelope or several: their names, types and sizes, links that save them, and pictures. */
export function AttachmentList({ rows }: {
  rows: readonly (Omit<AttachmentRow, "content_type"> & { content_type?: string | null })[];
}) {
  return (
    <ul>
      {rows.map(({ envelope, item, name, type, content_type, bytes }) => {
        const href = `${inbox.path}?attachment=${envelope}.${item}`;
        return (
          <li key={`${envelope} ${item}`}>
            <div className="line">
              <span className="long-text">{name}</span>
              <small>{isImage({ type }) ? type : content_type} {formatBytes(bytes)}</small>
              <a className="end" href={href} download={name} aria-label={`Download ${name}`}>
                Download
              </a>
            </div>
            {isImage({ type }) && (
              <a href={href} target="_blank">
                <img className="attached well" src={href} alt={`Attached picture ${name}`} />
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
