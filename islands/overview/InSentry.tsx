import "../background_code.ts";
import { Icon } from "../../components/Icon.tsx";
import type { PageFacts } from "../../components/page_facts.ts";

/** In place of the views of an inbox, in relay mode. */
export default function InSentry({ ingest, sentry }: PageFacts) {
  return (
    <div className="empty blank">
      <Icon name="arrivals" />
      <p>
        <b>Errors, traces, logs and recordings are in Sentry.</b>{" "}
        In relay mode this server stores none: it forwards them to {ingest}.{" "}
        <a href={sentry} target="_blank" rel="noreferrer">Open Sentry</a> or{" "}
        <a href="#/">the overview of what this page has sent</a>.
      </p>
    </div>
  );
}
