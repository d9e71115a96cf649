/** Code that several views share, in one file that the first of them loads: see {@link ./background_code.ts}. */
import "./background_code.ts";
import "../monitoring/models/ai/ai_span.ts";
import "../monitoring/models/trace/trace.ts";
import "../monitoring/models/trace/trace_content.ts";
import "../monitoring/models/recording/recording.ts";
import "./charts/TracePicture.tsx";
import "./kit/DetailView.tsx";
import "./kit/GroupState.tsx";
import "./kit/RowList.tsx";
import "./kit/Split.tsx";
import "./kit/ValueLinks.tsx";
import "./player/RecordingStill.tsx";
import "./player/recording_events.ts";
import "./player/segments.ts";
import "./charts/EventInTrace.tsx";
import "./kit/PlayLink.tsx";
import "./kit/SameTrace.tsx";
