import { readProfileContent } from "../inbox/details/profile_content.ts";
import { hexId } from "../models/json.ts";
import { busySamples, functionRows, mainFunction } from "../models/profile/call_tree.ts";
import { omittedText, placeOf } from "../models/profile/profile_content.ts";
import { micro } from "../models/time_units.ts";
import { isoTime, type TelemetryReader, ToolError, type ToolInput } from "./telemetry_reader.ts";
import type { ToolAnswer } from "./untrusted_text.ts";

const MAX_FUNCTIONS = 30;
const MAX_SPANS = 20;

/** The tool `get_profile`. @throws {ToolError} */
export async function getProfile(
  input: ToolInput,
  { inbox }: TelemetryReader,
): Promise<ToolAnswer> {
  const [id, trace] = [hexId(input.profile_id), hexId(input.trace_id)];
  if (id === null) {
    throw new ToolError("Cannot read the profile: profile_id must have 32 hexadecimal digits.");
  }
  const span = input.span_id === undefined ? undefined : `${input.span_id}`;
  if (span !== undefined && trace === null) throw new ToolError("span_id needs its trace_id.");
  const asked = span === undefined ? { id } : { id, trace: trace!, span };
  const profile = await readProfileContent(inbox, asked);
  if (profile === undefined) throw new ToolError("No profile with this profile_id is stored.");
  if (span !== undefined && profile.span?.span_id !== span) {
    throw new ToolError("This trace has no span with this span_id of the profile's application.");
  }
  const { row, interval_ms, samples, frames, threads, thread } = profile;
  const time = (count: number) => micro(count * interval_ms);
  const nameOf = (thread: string | null) => threads.find(({ id }) => id === thread)?.name ?? thread;
  const rows = functionRows(profile);
  const main = mainFunction(profile, rows);
  const rowOf = ({ frame, self, total }: typeof rows[number]) => ({
    function: frames[frame]!.function,
    where: placeOf(frames[frame]!),
    own: frames[frame]!.own,
    self_ms: time(self),
    total_ms: time(total),
  });
  return {
    summary: ["One profile: times are samples, each for the distance of two.", omittedText(profile)]
      .filter(Boolean).join(" "),
    data: {
      profile_id: id,
      of: row.of,
      name: profile.span?.name ?? row.name,
      started_at: isoTime(profile.start_ms),
      release: row.release,
      thread: nameOf(thread),
      samples: samples.length,
      interval_ms,
      in_functions_ms: time(busySamples(profile)),
      main_function: main ? rowOf(main) : null,
      functions: rows.slice(0, MAX_FUNCTIONS).map(rowOf),
      spans: profile.spans.slice(0, MAX_SPANS).map(({ start_ms, end_ms, op: _, ...span }) => ({
        ...span,
        thread: nameOf(span.thread),
        duration_ms: micro(end_ms - start_ms),
      })),
    },
  };
}
