import { shortId } from "./format/short_id.ts";

/** An id cut short, the whole of it as the title. */
export function Id({ id }: { id: string }) {
  return <code title={id}>{shortId(id)}</code>;
}
