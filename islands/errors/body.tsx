import { Breadcrumbs } from "./Breadcrumbs.tsx";
import { errorAsText } from "./error_as_text.ts";
import { Level } from "./Level.tsx";
import { sourceNote } from "./source_note.ts";
import { Stack } from "./Stack.tsx";
import { ThrownBlock } from "./ThrownBlock.tsx";
import { Entries } from "./Entries.tsx";
import { type Fact, Facts } from "../../components/Facts.tsx";
import { formatCount } from "../../components/format/count.ts";
import { Id } from "../../components/Id.tsx";
import { LongText } from "./LongText.tsx";
import { Moment } from "../../components/Moment.tsx";
import type { ErrorEvent } from "../../monitoring/models/error/error_event.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import { CopyButton } from "../shared/copy_button.tsx";
import { CopyId } from "../shared/copy_id.tsx";
import { useFoundStacks } from "./event.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { saveFile } from "../shared/save_file.ts";

/** Contexts that are open at first, if they are short; the others are what every event of a page has. */
const OPEN_CONTEXTS = ["user", "extra"];
const MAX_OPEN = 12;

/** All that is known of one error. */
export function ErrorBody({ source, event, envelope }: {
  source: ConsoleSource;
  event: ErrorEvent;
  envelope: number;
}) {
  const { exceptions, stack, breadcrumbs, tags, contexts } = event;
  const found = useFoundStacks(source, event);
  const [, ...causes] = exceptions.shown;
  const frames = found.stacks.flat();
  const note = found.state === "looking"
    ? frames.length > 0 && event.debugIds.size > 0 ? "Looking up the sources." : ""
    : sourceNote({ frames, debugIds: event.debugIds, scope: source.scope });
  const outermost = exceptions.shown[0]?.stack ?? stack;
  return (
    <article aria-labelledby="error-title">
      <header>
        <h3 id="error-title" tabIndex={-1}>
          <LongText text={event.title} max={200} />
        </h3>
        {event.value !== "" && (
          <p className="message">
            <LongText text={event.value} />
          </p>
        )}
        <p className="line">
          <Level level={event.level} handled={event.handled} />
          <Moment at={event.at} />
          <Actions source={source} event={event} envelope={envelope} stacks={found.stacks} />
        </p>
      </header>
      <div className="columns">
        <div>
          <section aria-labelledby="error-stack">
            <h4 id="error-stack">Stack</h4>
            <p className="note" role="status">
              {found.state === "failed" ? `Sources could not be looked up: ${found.error} ` : note}
              {found.state === "failed" && (
                <button type="button" className="plain" onClick={found.retry}>Try again</button>
              )}
            </p>
            <Stack frames={found.stacks[0] ?? []} more={outermost.more} />
          </section>
          {causes.map((thrown, index) => (
            <ThrownBlock key={index} thrown={thrown} frames={found.stacks[index + 1] ?? []} />
          ))}
          {exceptions.more > 0 && (
            <p>
              <small>{formatCount(exceptions.more, "exception")} more, in the download.</small>
            </p>
          )}
          <section aria-labelledby="error-crumbs">
            <h4 id="error-crumbs">Breadcrumbs</h4>
            <Breadcrumbs breadcrumbs={breadcrumbs} errorAt={event.at} />
          </section>
        </div>
        <aside aria-label="Where it comes from">
          <Origin event={event} />
          {tags.shown.length > 0 && (
            <section aria-labelledby="error-tags">
              <h4 id="error-tags">Tags</h4>
              <Entries entries={tags} />
            </section>
          )}
          {contexts.length > 0 && (
            <section aria-labelledby="error-contexts">
              <h4 id="error-contexts">Contexts</h4>
              {contexts.map(({ name, entries }, index) => (
                <details
                  key={index}
                  open={OPEN_CONTEXTS.includes(name) && entries.shown.length <= MAX_OPEN}
                >
                  <summary>{name.slice(0, 100).toWellFormed()}</summary>
                  <Entries entries={entries} />
                </details>
              ))}
            </section>
          )}
        </aside>
      </div>
    </article>
  );
}

function Actions({ source, event, envelope, stacks }: {
  source: ConsoleSource;
  event: ErrorEvent;
  envelope: number;
  stacks: ReturnType<typeof useFoundStacks>["stacks"];
}) {
  const save = () => {
    const address = source.download(envelope);
    if (address !== undefined) saveFile(address, `${event.event_id ?? envelope}.envelope`);
  };
  return (
    <>
      <CopyButton text={() => errorAsText(event, stacks)}>Copy as text</CopyButton>
      <button type="button" onClick={save}>Download envelope</button>
    </>
  );
}

/** What belongs to the same moment, one click away, and what the event says of its sender. */
function Origin({ event: { trace_id, replay_id, event_id, mechanism, facts } }: {
  event: ErrorEvent;
}) {
  const ways: readonly Fact[] = [
    ...(trace_id === null ? [] : [{
      term: "trace",
      value: <IdLink id={trace_id} href={fragmentTo("traces", [trace_id])} />,
    }]),
    ...(replay_id === null ? [] : [{
      term: "recording",
      value: <IdLink id={replay_id} href={fragmentTo("envelopes", [], { q: replay_id })} />,
    }]),
    ...(event_id === null
      ? []
      : [{ term: "event", value: <CopyId id={event_id} what="the event's id" /> }]),
  ];
  const told = [...(mechanism === null ? [] : [["caught by", mechanism] as const]), ...facts];
  return (
    <Facts
      facts={[
        ...ways,
        ...told.map(([term, value]) => ({ term, value: <LongText text={value} max={300} /> })),
      ]}
    />
  );
}

function IdLink({ id, href }: { id: string; href: string }) {
  return (
    <a href={href}>
      <Id id={id} />
    </a>
  );
}
