import { ellipsize, formatCount } from "../../components/format.ts";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import type { SourceLines } from "../../monitoring/models/error/stack.ts";
import { formatLocation } from "../../monitoring/models/error/error_as_text.ts";
import { LongText } from "./LongText.tsx";
import { type Token, tokenize } from "./source_tokens.ts";
import { foldFrames } from "./stack_frames.ts";

/** Characters of a function name or an address. */
const MAX_NAME = 200;
/** Of a variable that is shown in one line with others. */
const MAX_LOCAL = 60;

const shorten = (text: string) => ellipsize(text, MAX_NAME);

/**
 * A stack trace, innermost frame first. The first in-app frame with source is open; runs of library frames are folded.
 *
 * @param props.more number of outer frames that are not listed
 * @param props.printed shown instead of no frames
 * @param props.origin of the application, which is left out of locations
 */
export function StackTrace({ frames, more, printed, origin }: {
  frames: readonly FoundFrame[];
  more: number;
  printed?: string | undefined;
  origin: string | undefined;
}) {
  if (frames.length === 0) {
    return printed
      ? <pre tabIndex={0} aria-label="Stack trace as sent">{printed}</pre>
      : <p className="note">No stack trace in the event.</p>;
  }
  const openFrame = frames.find(({ own, source }) => own !== false && source) ??
    frames.find(({ source }) => source);
  const listItem = (frame: FoundFrame, key: number) => (
    <li key={key}>
      <Frame frame={frame} open={frame === openFrame} origin={origin} />
    </li>
  );
  return (
    <ol className="stack card ruled">
      {foldFrames(frames).map(({ frames, folded }, index) =>
        folded
          ? (
            <li key={index}>
              <details>
                <summary className="frame-line">
                  {formatCount(frames.length, "library frame")}
                </summary>
                <ol className="stack card ruled">{frames.map(listItem)}</ol>
              </details>
            </li>
          )
          : frames.map((frame, indexInRun) => listItem(frame, index * 1_000 + indexInRun))
      )}
      {more > 0 && (
        <li className="frame-line">
          <small>{formatCount(more, "more outer frame")}: see More, Download envelope.</small>
        </li>
      )}
    </ol>
  );
}

/** One frame: function and location in a line; source and variables below, if there are any. */
function Frame({ frame, open, origin }: {
  frame: FoundFrame;
  open: boolean;
  origin: string | undefined;
}) {
  const { source, variables, script, own } = frame;
  const location = formatLocation(frame);
  const isOwn = origin !== undefined && location.startsWith(`${origin}/`);
  const line = (
    <>
      <code className="call">{shorten(frame.function ?? "(anonymous)")}</code>{" "}
      <code className="place" title={isOwn ? shorten(location) : undefined}>
        {shorten(isOwn ? location.slice(origin.length) : location)}
      </code>{" "}
      {own !== null && <small>{own ? "in app" : "library"}</small>}
    </>
  );
  if (!source && script === null && variables.shown.length === 0) {
    return <div className="frame-line">{line}</div>;
  }
  return (
    <details open={open} className={own === false ? "library" : undefined}>
      <summary className="frame-line">{line}</summary>
      {source && <SourceExcerpt source={source} file={frame.file} />}
      {script !== null && (
        <p className="ran">
          <small>
            built script: <code>{shorten(script)}</code>
          </small>
        </p>
      )}
      <Locals values={variables} />
    </details>
  );
}

/** Variables: short ones beside each other, others behind their start. */
function Locals({ values: { shown, more } }: { values: FoundFrame["variables"] }) {
  if (shown.length === 0) return null;
  const isShort = ([name, value]: readonly [string, string]) =>
    name.length + value.length <= MAX_LOCAL && !value.includes("\n");
  return (
    <div className="locals pad line">
      <small>Locals</small>
      {shown.filter(isShort).map((local, index) => <Local key={index} local={local} />)}
      {shown.filter((local) => !isShort(local)).map(([name, value], index) => (
        <details key={index}>
          <summary>
            <Local local={[name, `${value.slice(0, MAX_LOCAL).replaceAll(/\s+/g, " ")}…`]} />
          </summary>
          <pre tabIndex={0} aria-label={shorten(name)}><LongText text={value} /></pre>
        </details>
      ))}
      {more > 0 && <small>{more} more: see More, Download envelope.</small>}
    </div>
  );
}

function Local({ local: [name, value] }: { local: readonly [name: string, value: string] }) {
  return (
    <code className="well">
      <span className="quiet">{shorten(name)}=</span>
      {value}
    </code>
  );
}

/** Lines of source with their numbers; the frame's own line is marked. */
function SourceExcerpt({ source, file }: { source: SourceLines; file: string | null }) {
  const { first, lines, marked } = source;
  return (
    // Focusable because it scrolls (WCAG 2.1.1).
    <pre className="excerpt" tabIndex={0} role="group" aria-label="Source">
      {tokenize(lines, file).map((tokens, index) => {
        const number = first === null ? "" : first + index;
        const Line = index === marked ? "mark" : "span";
        return <Line key={index} data-line={number}>{[...tokens.map(colour), "\n"]}</Line>;
      })}
    </pre>
  );
}

/** Classes that are not the name of the kind. */
const COLOURS: Partial<Record<Token["kind"], string>> = { comment: "quiet", string: "flows" };

function colour({ kind, text }: Token, index: number) {
  return kind === "text" ? text : <span key={index} className={COLOURS[kind] ?? kind}>{text}</span>;
}
