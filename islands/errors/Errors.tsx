import { useRef } from "react";
import { Boundary } from "../shared/boundary.tsx";
import { ErrorDetail } from "./detail.tsx";
import { ErrorList } from "./list.tsx";
import { EventFinder, isEventId } from "./event_finder.tsx";
import { useFragment } from "../shared/fragment.ts";
import { useSource } from "../shared/source.ts";

/**
 * Errors, grouped; `#/errors/GROUP` the newest of a group, `#/errors/GROUP/ENVELOPE` the one of that envelope, and
 * `#/errors/EVENT/ENVELOPE` or `#/errors/EVENT`, which becomes the address with the event's group.
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Errors({ variant }: { variant: string }) {
  return (
    <Boundary what="This view">
      <ErrorsView variant={variant} />
    </Boundary>
  );
}

function ErrorsView({ variant }: { variant: string }) {
  const source = useSource(variant);
  const { path: [group, envelope], params } = useFragment("errors");
  const q = params.get("q") ?? undefined;
  // Who came by a step within the view has lost what had the focus; who came by the address had none.
  const before = useRef<string>(undefined);
  const steps = useRef(0);
  const place = `${group ?? ""}/${envelope ?? ""}`;
  const last = useRef(place);
  if (last.current !== place) {
    before.current = last.current.split("/")[0];
    last.current = place;
    steps.current++;
  }
  if (group === undefined) return <ErrorList source={source} q={q} from={before.current} />;
  if (isEventId(group)) return <EventFinder source={source} eventId={group} envelope={envelope} />;
  const number = /^\d{1,15}$/.test(envelope ?? "") ? Number(envelope) : undefined;
  return (
    <ErrorDetail
      key={group}
      source={source}
      group={group}
      envelope={number}
      q={q}
      takesFocus={steps.current > 0}
    />
  );
}
