import { shortId } from "./format.ts";

/** A shortened id; the tooltip shows the full id. */
export function Id({ id }: { id: string }) {
  return <code title={id}>{shortId(id)}</code>;
}
