import type { ReactNode } from "react";
import { Mark } from "../../components/Icon.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { PipelineStatus } from "../pipeline/pipeline_status.ts";

/** The mark with its sentence. @param props.children what it opens */
export function MarkButton({ status, children }: { status: PipelineStatus; children: ReactNode }) {
  const { kind, sentence } = status;
  const isQuiet = kind === "flows" || kind === "ended";
  return (
    <div data-sentry-block="">
      <button
        type="button"
        className={`pipeline-mark beside bare small ${isQuiet ? "quiet" : kind}`}
        popoverTarget="pipeline"
        title="What this page has sent, and what became of it"
      >
        {isQuiet ? <Mark /> : <OutcomeMark kind={kind} />}
        <span>
          <span className="vh">Pipeline.</span> {sentence}
        </span>
      </button>
      <div id="pipeline" popover="auto" className="pipeline-counts">{children}</div>
    </div>
  );
}
