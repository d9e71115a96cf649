import { shortId } from "../../components/format/short_id.ts";
import { useCopy } from "./copy.ts";

/** An id cut short, as a button that copies all of it. */
export function CopyId({ id, what }: { id: string; what: string }) {
  const { said, copy } = useCopy();
  return (
    <span className="id">
      <button type="button" className="plain" title={id} onClick={() => copy(id)}>
        <span className="vh">Copy {what}</span>
        <code>{shortId(id)}</code>
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
