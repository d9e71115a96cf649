import "../shared/background_code.ts";
import { Destination } from "../../components/Destination.tsx";
import { Panel } from "../../components/Panel.tsx";
import type { PageFacts } from "../shared/page_facts.ts";
import { Receipts } from "./Receipts.tsx";

/** What this page has sent, and where it goes. Relay mode only. */
export default function RelayOverview({ route, ingest, storage, sentry }: PageFacts) {
  return (
    <div className="highlights">
      <Panel
        id="receipts"
        title="Sent by this page"
        links={<a href="#/envelopes">Their content</a>}
        isUnrecorded
      >
        <Receipts />
      </Panel>
      <Panel id="destination" title="Destination">
        <Destination route={route} ingest={ingest} storage={storage} sentry={sentry} />
      </Panel>
    </div>
  );
}
