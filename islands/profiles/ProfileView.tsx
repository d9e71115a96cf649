import { useMemo } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import {
  busySamples,
  functionRows,
  mainFunction,
} from "../../monitoring/models/profile/call_tree.ts";
import type { ProfileContent } from "../../monitoring/models/profile/profile_content.ts";
import { fragmentTo, linkTo, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { FunctionTable } from "./FunctionTable.tsx";
import { profileName } from "./ProfileList.tsx";

/** One profile: of a transaction, of a session, or what its profiler recorded of a span. */
export function ProfileView({ id }: { id: string }) {
  const { params } = useFragment();
  const [trace, span, thread] = ["trace", "span", "thread"].map((name) =>
    params.get(name) ?? undefined
  );
  const list = useList("profiles", { profile: id });
  const row = list.rows[0];
  const asked = span === undefined ? { id, thread } : { id, thread, trace, span };
  const content = useRead(
    // Read again when chunks have arrived.
    ["profile", asked, row?.samples],
    row && (() => read("profile", asked)),
  );
  const profile = content.value;
  const of = list.state === "ready" && row ? content : list;
  return (
    <DetailView
      className="profile"
      back={{
        text: "All profiles",
        href: fragmentTo("profiles", [], {
          ...Object.fromEntries(params),
          span: undefined,
          thread: undefined,
        }),
      }}
      title={profile?.span?.name ?? (row ? profileName(row) : "Profile")}
      facts={row && (
        <>
          <SentBy keys={[row.application]} />
          {row.release}
          <Timestamp at={profile?.start_ms || row.started_at} precision="ms" isAsSent />
          <CopyId id={id} what={row.kind === "session" ? "profiler id" : "profile id"} />
        </>
      )}
      actions={profile && (
        <CopyMenu
          what="profile"
          texts={{ "Copy as JSON": () => JSON.stringify(profile, null, 2) }}
        />
      )}
    >
      {profile && row ? <Content profile={profile} /> : <Unread what="profile" of={of} />}
    </DetailView>
  );
}

function Content({ profile }: { profile: ProfileContent }) {
  const { interval_ms, samples, span, threads, thread } = profile;
  const rows = useMemo(() => functionRows(profile), [profile]);
  const busy = busySamples(profile);
  const main = mainFunction(profile, rows);
  const time = (count: number) => formatDuration(count * interval_ms);
  const chosen = threads.find(({ id }) => id === thread);
  return (
    <>
      <p className="facts pad">
        <b>{formatCount(samples.length, "sample")}</b>, {formatDuration(interval_ms)} apart
        {main && (
          <span>
            <b>{time(main.total)} of {time(busy)}</b> in{" "}
            <code>{profile.frames[main.frame]!.function}</code> and what it calls
          </span>
        )}
      </p>
      <FunctionTable profile={profile} rows={rows} />
      <KeyValueList
        entries={[
          span !== null && {
            name: "Span",
            value: (
              <a href={linkTo("traces", [span.trace_id], { span: span.span_id ?? undefined })}>
                {span.name}
              </a>
            ),
          },
          { name: "Thread", value: chosen?.name ?? thread },
        ]}
      />
    </>
  );
}
