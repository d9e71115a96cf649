import { formatDuration } from "../duration.ts";
import { busySamples, functionRows, mainFunction } from "./call_tree.ts";
import { omittedText, placeOf, type ProfileContent } from "./profile_content.ts";

/** Functions of the table: more have hardly any time. */
const MAX_ROWS = 25;

const cell = (text: string) => `\`${text.replace(/[`|\s]+/g, " ").trim()}\``;

/** A profile as text: what it is of, its main function, and the functions with most self time. */
export function profileAsMarkdown(profile: ProfileContent): string {
  const { row, span, samples, interval_ms, frames } = profile;
  const rows = functionRows(profile);
  const main = mainFunction(profile, rows);
  const time = (count: number) => formatDuration(count * interval_ms);
  return [
    `# Profile: ${cell(span?.name ?? row.name ?? "session of a profiler")}`,
    `${samples.length} samples, ${formatDuration(interval_ms)} apart, ${
      time(busySamples(profile))
    } in functions.`,
    ...main
      ? [`${time(main.total)} in ${cell(frames[main.frame]!.function)} and what it calls.`]
      : [],
    ...omittedText(profile) ? [omittedText(profile)] : [],
    "",
    "| Function | Where | Self | Total |",
    "| --- | --- | ---: | ---: |",
    ...rows.slice(0, MAX_ROWS).map(({ frame, self, total }) =>
      `| ${cell(frames[frame]!.function)} | ${cell(placeOf(frames[frame]!))} | ${time(self)} | ${
        time(total)
      } |`
    ),
  ].join("\n");
}
