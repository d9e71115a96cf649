import "../background_code.ts";
import { useState } from "react";
import { Panel } from "../../components/Panel.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import { TimeBars } from "../charts/TimeBars.tsx";
import { useReceipts } from "../data/use_sent_counts.ts";
import { PipelineCounts, usePipeline } from "../pipeline/PipelineCounts.tsx";
import { OUTCOME_WORDS, outcomesOverTime, Receipts } from "./Receipts.tsx";

const ALWAYS = { from: 0, to: Infinity };

/** What relay mode is, the pipeline, and the envelopes of this page. Relay mode only. */
export default function RelayOverview(page: PageFacts) {
  const { ingest, sentry, storage } = page;
  const receipts = useReceipts();
  const [{ from, to }, setTime] = useState(ALWAYS);
  return (
    <div className="highlights grid">
      <p>
        Sightglass is the window on your applications, here their way to Sentry: it forwards what
        they send to <b>{ingest}</b>.{" "}
        <a href={sentry} target="_blank" rel="noreferrer">Open Sentry</a>. Stored on this server:
        {" "}
        {storage}.
      </p>
      <Panel id="pipeline-now" title="Pipeline">
        <PipelineCounts ends={page} now={usePipeline(page)} />
      </Panel>
      <Panel id="outcomes" title="Outcomes over time, of the newest 200">
        {receipts.length > 0
          ? (
            <TimeBars
              histogram={outcomesOverTime(receipts)}
              words={OUTCOME_WORDS}
              mostTicks={4}
              onChoose={(from, to) => setTime({ from, to })}
            />
          )
          : <p className="empty">Nothing has been sent yet.</p>}
      </Panel>
      <Panel
        id="receipts"
        title="Envelopes of this page"
        links={to < Infinity && (
          <button
            type="button"
            className="plain"
            onClick={() => setTime(ALWAYS)}
          >
            Show all
          </button>
        )}
      >
        <Receipts receipts={receipts.filter(({ at }) => from <= at && at < to)} />
      </Panel>
    </div>
  );
}
