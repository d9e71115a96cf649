import "../background_code.ts";
import { Destination } from "../../components/Destination.tsx";
import { Panel } from "../../components/Panel.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import { PipelineCounts, usePipeline } from "../pipeline/PipelineCounts.tsx";
import { Receipts } from "./Receipts.tsx";

/** The pipeline, what this page has sent, and where it goes. Relay mode only. */
export default function RelayOverview(page: PageFacts) {
  return (
    <div className="highlights grid">
      <Panel id="pipeline-now" title="Pipeline" isUnrecorded>
        <PipelineCounts ends={page} now={usePipeline(page)} />
      </Panel>
      <Panel
        id="receipts"
        title="Sent by this page"
        links={<a href="#/envelopes">Their content</a>}
        isUnrecorded
      >
        <Receipts />
      </Panel>
      <Panel id="destination" title="Destination">
        <Destination {...page} />
      </Panel>
    </div>
  );
}
