/** Code that several views share, in one file that the first of them loads: see {@link ./background_code.ts}. */
import "./background_code.ts";
import "../../components/CountCell.tsx";
import "../../monitoring/models/error/error_entry.ts";
import "../../monitoring/models/index/index_entries.ts";
import "../../monitoring/models/trace/page_vitals.ts";
import "../../monitoring/models/recording/recording.ts";
import "./DetailView.tsx";
import "./ListToolbar.tsx";
import "./read_envelopes.ts";
import "./RowList.tsx";
import "./sentry_link.ts";
import "./sort_columns.ts";
import "./trace_reader.ts";
import "./use_recording_href.ts";
import "./use_table_rows.tsx";
