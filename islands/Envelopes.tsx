import { Boundary } from "./_boundary.tsx";

/** @param props.variant `inbox` or `relay` */
export default function Envelopes({ variant }: { variant: string }) {
  return (
    <Boundary what="This view">
      <p className="empty">{variant === "inbox" ? "The inbox is empty." : "Nothing yet."}</p>
    </Boundary>
  );
}
