import type { ReactNode, Ref } from "react";
import { Icon } from "../../components/Icon.tsx";
import { Loading, ReadFailure } from "../../components/ReadFailure.tsx";
import { useView } from "../data/view.ts";

/** In place of rows or of a detail: why there are none, and what helps. */
export function Blank({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) {
  return (
    <div className="empty blank grid" tabIndex={-1} ref={ref}>
      <Icon shapes={useView().icon} />
      {children}
    </div>
  );
}

/**
 * In place of a detail: that it is loading, that it could not be read, or that the inbox does not have it.
 *
 * @param props.what the detail: "error"
 * @param props.isFiltered whether filters may have left it out
 */
export function Unread({ what, isFiltered, of: { state, error, retry }, children }: {
  what: string;
  isFiltered?: boolean;
  of: { readonly state: string; readonly error?: string | undefined; retry(): unknown };
  children?: ReactNode;
}) {
  if (state === "loading") return <Loading what={`the ${what}`} />;
  if (state === "failed") {
    return <ReadFailure message={error} retry={retry}>{children}</ReadFailure>;
  }
  return (
    <Blank>
      <p>
        <b>{what[0]!.toUpperCase() + what.slice(1)} not found.</b> It was deleted,{" "}
        {isFiltered ? "never received, or left out by the filter" : "or never received"}.
      </p>
    </Blank>
  );
}
