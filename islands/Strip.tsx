import { useEffect, useState } from "react";
import { advance, type Flow, still } from "../components/flow.ts";
import { flowSentence } from "../components/flow_sentence.ts";
import { formatCount } from "../components/format/count.ts";
import { Mark } from "../components/Mark.tsx";
import { Boundary } from "./_boundary.tsx";
import { SettledText } from "./_settled_text.tsx";
import { useTelemetry } from "./_telemetry.ts";
import { Tube } from "./_tube.tsx";

interface Props {
  readonly variant: string;
  /** Where the browser posts to: a path, or "straight to the ingest". */
  readonly route: string;
  /** Where envelopes end. */
  readonly ingest: string;
}

/** The sight glass: a tube from this browser to where envelopes end, and what passes in it. */
export default function Strip(props: Props) {
  return (
    <Boundary what="The glass">
      <Glass {...props} />
    </Boundary>
  );
}

function Glass({ variant, route, ingest }: Props) {
  const { receipts, waiting, phase, reason } = useTelemetry();
  const [flow, setFlow] = useState<Flow>(still);
  useEffect(() => setFlow((before) => advance(before, receipts)), [receipts]);

  const accepted = variant === "inbox" ? "stored" : "accepted";
  const readings = `${formatCount(flow.accepted, "envelope")} ${accepted}, ` +
    `${waiting} waiting, ${flow.spooled} spooled, ${flow.refused} refused`;
  return (
    <div className="glass" data-route={route} data-sentry-block="">
      <ol>
        <li>
          <span>this browser</span>
          <span className={waiting > 0 ? "waits" : "nil"}>
            <Mark kind="waits" />
            {waiting} waiting
          </span>
        </li>
        <li>
          <span>{route}</span>
          <span className={flow.refused > 0 ? "refused" : "nil"}>
            <Mark kind="refused" />
            {flow.refused} refused
          </span>
        </li>
        <li>
          <span>{ingest}</span>
          <span className={flow.accepted > 0 ? "flows" : "nil"}>
            <Mark kind="flows" />
            {flow.accepted} {accepted}
          </span>
        </li>
      </ol>
      <Tube fresh={flow.fresh} waiting={waiting} />
      <p className="reading">{flowSentence({ flow, waiting, phase, reason })}</p>
      <SettledText
        text={flow.accepted + flow.spooled + flow.refused + waiting > 0 ? readings : ""}
      />
    </div>
  );
}
