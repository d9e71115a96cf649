import type { ReactNode } from "react";
import { dataSlot } from "./slot.ts";

/**
 * A JSON value that the App fills in at the start from `data[id]`, for scripts to read by the
 * element's id.
 */
export function PageData({ id }: { readonly id: string }): ReactNode {
  return (
    <script type="application/json" id={id} dangerouslySetInnerHTML={{ __html: dataSlot(id) }} />
  );
}
