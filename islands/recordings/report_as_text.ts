import { formatCount } from "../../components/format.ts";
import type {
  Finding,
  KindCount,
} from "../../monitoring/models/recording/masking_report/masking_report.ts";
import type { RecorderSettings } from "../../monitoring/models/recording/masking_report/masking_setting.ts";
import { MAX_SEARCHED } from "../../monitoring/models/recording/masking_report/personal_data.ts";
import type { TextKind } from "../../monitoring/models/recording/masking_report/sent_text.ts";
import { formatClock } from "../../components/format_time.ts";
import type { MaskingReading } from "./use_masking_report.ts";

/** Kinds of texts that people see in the recorded page. */
export const PAGE_KINDS = ["text", "input", "attribute", "media", "address"] as const;

/** Titles of the kinds in counts. */
export const KIND_TITLES: Readonly<Record<TextKind, string>> = {
  text: "Texts",
  input: "Inputs",
  attribute: "Attributes",
  media: "Media",
  address: "Addresses",
  style: "styles",
  other: "other parts",
  breadcrumb: "breadcrumbs",
  span: "spans",
  log: "logs",
  event: "events and other items",
};

/** Names of the kinds in findings. */
const KIND_NAMES: Readonly<Record<TextKind, string>> = {
  text: "Text",
  input: "Input",
  attribute: "Attribute",
  media: "Media",
  address: "Address",
  style: "Style",
  other: "Other part of the page",
  breadcrumb: "Breadcrumb",
  span: "Span",
  log: "Log",
  event: "Event",
};

/** Kind of place of a finding: "Attribute title", "Breadcrumb of the recording", "Log", "Event, feedback". */
export function placeText({ kind, item, name }: Finding): string {
  const isRecorded = item === "replay_recording";
  const isNamed = isRecorded && ["attribute", "media", "address"].includes(kind) && name !== "";
  if (isNamed) return `${KIND_NAMES[kind]} ${name}`;
  if (kind === "breadcrumb" || kind === "span") {
    return `${KIND_NAMES[kind]} of ${isRecorded ? "the recording" : `item ${item}`}`;
  }
  return kind === "event" && item !== "event" ? `Item ${item}` : KIND_NAMES[kind];
}

/** Readable and masked texts of one kind, in words. */
export function countText(count: KindCount | undefined): string {
  if (count === undefined) return "none";
  const { kind, readable, distinct, masked } = count;
  const differing = readable > distinct ? ` (${distinct} different)` : "";
  return `${readable} readable${differing}, ${masked} ${kind === "media" ? "blocked" : "masked"}`;
}

/** The recorder's masking settings, as a sentence; empty if they are not known. */
export function settingsText(settings: RecorderSettings): string {
  const known = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (known.length === 0) return "";
  return `Recorded with ${known.map(([name, value]) => `${name}: ${value}`).join(", ")}.`;
}

/** What the report does not cover, in sentences. */
export function omissions(report: MaskingReading): string[] {
  const { omitted, omittedEnvelopes, hasMore, cut, unread } = report;
  return [
    omitted > 0 && `${formatCount(omitted, "more finding")} not listed.`,
    omittedEnvelopes > 0 &&
    `${formatCount(omittedEnvelopes, "envelope")} of this visit not read: too large, or deleted.`,
    hasMore && "This visit has more traces; their envelopes were not read.",
    unread > 0 && `${formatCount(unread, "item")} not read: not JSON, and not text.`,
    cut > 0 && `${formatCount(cut, "text")} of more than ${MAX_SEARCHED / 1000},000 characters: ` +
      "only the beginning was searched for personal data.",
  ].filter((sentence) => typeof sentence === "string");
}

/**
 * A report as text for a message or an issue, with places and options. It contains neither values nor the texts that
 * were searched for: they may be personal data.
 */
export function reportAsText(
  report: MaskingReading,
  { replayId, from }: { readonly replayId: string; readonly from: number },
): string {
  const line = (finding: Finding) => {
    const { at, count, place, setting } = finding;
    const when = at === null ? "" : `, at ${formatClock(at - from)}`;
    const often = count > 1 ? `, ${count} times` : "";
    return `${placeText(finding)}, ${place}${when}${often}: ${setting}`;
  };
  return [
    `Masking report of recording ${replayId}`,
    settingsText(report.settings),
    ...omissions(report),
    "",
    ...PAGE_KINDS.map((kind) =>
      `${KIND_TITLES[kind]}: ${countText(report.counts.find((count) => count.kind === kind))}`
    ),
    "",
    `Looks like personal data, not masked: ${report.personal.length || "none"}`,
    ...report.personal.map((finding) => `- ${finding.what}: ${line(finding)}`),
    ...report.wanted.flatMap(({ text, findings }) => [
      "",
      `Searched for a text of ${formatCount(text.length, "character")}, "${text.slice(0, 2)}…": ` +
      (findings.length > 0 ? `found in ${formatCount(findings.length, "place")}` : "not found"),
      ...findings.map((finding) => `- ${line(finding)}`),
    ]),
    "",
  ].filter((text, index, all) => text !== "" || all[index - 1] !== "").join("\n");
}
