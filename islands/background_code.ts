/**
 * Code that several of the modules share which the page loads once it has been drawn. Each of them imports this list, so
 * that the bundler makes one file of the code, not one for each combination of them. It is also loaded by itself, to
 * start reading before the view has loaded.
 */
import "./kit/Table.tsx";
import "../components/Id.tsx";
import "../components/KeyValueList.tsx";
import "../components/Outcome.tsx";
import "../components/Panel.tsx";
import "../components/ReadFailure.tsx";
import "../components/Timestamp.tsx";
import "../monitoring/models/error/error_entry.ts";
import "../monitoring/models/metric/metric_id.ts";
import "../monitoring/models/parsed_envelope.ts";
import "../monitoring/models/readable_json.ts";
import "../monitoring/models/recording/recording_payload.ts";
import "../monitoring/models/trace/endpoints.ts";
import "../monitoring/models/trace/page_vitals.ts";
import "../monitoring/models/trace/trace_name.ts";
import "../monitoring/models/trace/trace_span.ts";
import "../monitoring/models/trace/web_vitals.ts";
import "../monitoring/protocol/inbox_archive.ts";
import "../monitoring/protocol/loopback.ts";
import "../monitoring/protocol/scanner.ts";
import "./charts/ListHistogram.tsx";
import "./charts/RunMarks.tsx";
import "./charts/Sparkline.tsx";
import "./charts/VitalBar.tsx";
import "./kit/CopyButton.tsx";
import "./kit/endpoint_columns.tsx";
import "./kit/envelope_topic.ts";
import "./kit/InboxTokenForm.tsx";
import "./kit/FilterControls.tsx";
import "./kit/LiveButton.tsx";
import "./kit/Segmented.tsx";
import "./kit/sort.ts";
import "./pipeline/PipelineCounts.tsx";
import "./pipeline/SendTestSignals.tsx";
import "./kit/SettledText.tsx";
import "./kit/ApplicationLabel.tsx";
import "./kit/application_labels.ts";
import "./data/use_sent_counts.ts";
import "./data/lists.ts";
import "./data/sentry_link.ts";
import "./data/use_read.ts";

export { startReading } from "./data/queries.ts";
