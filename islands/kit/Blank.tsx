import type { ReactNode, Ref } from "react";
import { Icon } from "../../components/Icon.tsx";
import { useView } from "../data/view.ts";

/** In place of rows or of a detail: why there are none, and what helps. */
export function Blank({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) {
  return (
    <div className="empty blank grid" tabIndex={-1} ref={ref}>
      <Icon path={useView().icon} />
      {children}
    </div>
  );
}

/** In place of a detail that the inbox does not have. */
export function NotFound({ what }: { what: string }) {
  return (
    <Blank>
      <p>
        <b>{what} not found.</b> It was deleted, or never received.
      </p>
    </Blank>
  );
}
