import { shortId } from "./format.ts";

/** A shortened id; the title has the whole one. */
export function Id({ id }: { id: string }) {
  return <code title={id}>{shortId(id)}</code>;
}
