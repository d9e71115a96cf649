import "../background_code.ts";
import { useState } from "react";
import { Panel } from "../../components/Panel.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import { TimeBars } from "../charts/TimeBars.tsx";
import { useReceipts } from "../data/use_sent_counts.ts";
import { PipelineCounts, usePipeline } from "../pipeline/PipelineCounts.tsx";
import { OUTCOME_WORDS, outcomesOverTime, Receipts } from "./Receipts.tsx";

/** What relay mode is, the pipeline, and what this page has sent. Relay mode only. */
export default function RelayOverview(page: PageFacts) {
  const { ingest, sentry, storage } = page;
  const receipts = useReceipts();
  const [chosen, setChosen] = useState<{ readonly from: number; readonly to: number }>();
  const { from, to } = chosen ?? { from: 0, to: Infinity };
  return (
    <div className="highlights grid">
      <p>
        Sightglass is the window on your applications, here their way to Sentry: it forwards what
        they send to <b>{ingest}</b>.{" "}
        <a href={sentry} target="_blank" rel="noreferrer">Open Sentry</a> Stored on this server:
        {" "}
        {storage}.
      </p>
      <Panel id="pipeline-now" title="Pipeline" isUnrecorded>
        <PipelineCounts ends={page} now={usePipeline(page)} />
      </Panel>
      <Panel id="outcomes" title="Outcomes over time" isUnrecorded>
        {receipts.length > 0
          ? (
            <TimeBars
              histogram={outcomesOverTime(receipts)}
              words={OUTCOME_WORDS}
              mostTicks={4}
              onChoose={(from, to) => setChosen({ from, to })}
            />
          )
          : <p className="empty">Nothing has been sent yet.</p>}
      </Panel>
      <Panel
        id="receipts"
        title="Sent by this page"
        links={chosen && (
          <button
            type="button"
            className="plain"
            onClick={() => setChosen(undefined)}
          >
            Show all
          </button>
        )}
        isUnrecorded
      >
        <Receipts receipts={receipts.filter(({ at }) => from <= at && at < to)} />
      </Panel>
    </div>
  );
}
