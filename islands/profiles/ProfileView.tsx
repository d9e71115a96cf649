import { useMemo, useState } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import {
  busySamples,
  foldedCalls,
  functionRows,
  mainFunction,
  ownCalls,
} from "../../monitoring/models/profile/call_tree.ts";
import { profileTimes, wholeAxis } from "../../monitoring/models/profile/frame_bars.ts";
import {
  omittedText,
  type ProfileContent,
} from "../../monitoring/models/profile/profile_content.ts";
import type { ProfileFrame } from "../../monitoring/models/profile/sent_profile.ts";
import { type TimeWindow, useTimeWindow } from "../charts/use_time_window.ts";
import { changeParams, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { Definition } from "../kit/Definition.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { SearchInput } from "../kit/SearchField.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { FunctionTable } from "./FunctionTable.tsx";
import { ProfileFacts } from "./ProfileFacts.tsx";
import { type DrawnBar, ProfileFlame } from "./ProfileFlame.tsx";
import { profileName } from "./ProfileList.tsx";

const SHAPES = [[undefined, "Time order"], ["left-heavy", "Left-heavy"]] as const;

const NO_TIME = { start_ms: 0, end_ms: 0 };

/** One profile: of a transaction, of a session, or what its profiler recorded of a span. */
export function ProfileView({ id }: { id: string }) {
  const { params } = useFragment();
  const [trace, span, thread, as] = ["trace", "span", "thread", "as"]
    .map((name) => params.get(name) ?? undefined);
  const list = useList("profiles", { profile: id });
  const row = list.rows[0];
  const asked = span === undefined ? { id, thread } : { id, thread, trace, span };
  const content = useRead(
    // Read again when chunks have arrived.
    ["profile", asked, row?.samples],
    row && (() => read("profile", asked)),
  );
  const profile = content.value;
  const isHeavy = as === "left-heavy";
  const timeWindow = useTimeWindow(
    useMemo(() => {
      if (!profile) return NO_TIME;
      if (!isHeavy) return wholeAxis(profile);
      return { start_ms: 0, end_ms: busySamples(profile) * profile.interval_ms };
    }, [profile, isHeavy]),
  );
  const [selected, setSelected] = useState<DrawnBar>();
  const shown = [id, span, thread, as].join();
  const [was, setWas] = useState(shown);
  if (was !== shown) {
    setWas(shown);
    timeWindow.fit();
    setSelected(undefined);
  }
  const close = timeWindow.isZoomed ? timeWindow.fit : selected && (() => setSelected(undefined));
  return (
    <DetailView
      className="profile"
      back="All profiles"
      title={profile?.span?.name ?? (row ? profileName(row) : "Profile")}
      shown={span}
      closeInner={close}
      facts={row && (
        <>
          <SentBy keys={[row.application]} />
          {row.release}
          <Timestamp at={profile?.start_ms || row.started_at} precision="ms" isAsSent />
          <CopyId id={id} what={row.of === "session" ? "profiler id" : "profile id"} />
        </>
      )}
      actions={profile && <CopyMenu what="profile" json={profile} />}
    >
      {profile && row && content.state !== "failed"
        ? (
          <Content
            key={shown}
            {...{ profile, isHeavy, timeWindow, selected, setSelected }}
          />
        )
        : <Unread what="profile" of={list.state === "ready" && row ? content : list} />}
    </DetailView>
  );
}

function Content({ profile, isHeavy, timeWindow, selected, setSelected }: {
  profile: ProfileContent;
  isHeavy: boolean;
  timeWindow: TimeWindow;
  selected: DrawnBar | undefined;
  setSelected: (bar: DrawnBar | undefined) => void;
}) {
  const { params } = useFragment();
  const isOwn = params.get("own") === "1";
  const [text, setText] = useState("");
  const tree = useMemo(() => isOwn ? ownCalls(profile) : profile, [profile, isOwn]);
  const drawn = useMemo(() => foldedCalls(tree), [tree]);
  const rows = useMemo(() => functionRows(tree), [tree]);
  const searched = text.trim().toLowerCase();
  const matches = useMemo(() =>
    new Set(
      searched === ""
        ? []
        : rows.map(({ frame }) => frame).filter((frame) => isMatch(tree.frames[frame]!, searched)),
    ), [tree, rows, searched]);
  const { interval_ms, samples } = profile;
  const busy = busySamples(profile);
  const main = useMemo(() => mainFunction(profile), [profile]);
  const time = (count: number) => formatDuration(count * interval_ms);
  const { duration_ms, without_samples_ms } = profileTimes(profile);
  const omitted = omittedText(profile);
  const mark = (frame: number) => setSelected({ frame });
  return (
    <>
      <div className="profile-sum line entry">
        <b className="profile-time">
          <Definition text="To the end of the last sample, or of the span">
            {formatDuration(duration_ms)}
          </Definition>
        </b>
        <p>
          <b>{formatCount(samples.length, "sample")}</b>, {formatDuration(interval_ms)} apart
          <small className="quiet">
            <Definition text="Samples in which a function ran, each for the distance of two">
              {time(busy)} in functions
            </Definition>
            {without_samples_ms > 0 && `, ${formatDuration(without_samples_ms)} without samples`}
          </small>
        </p>
        {main && (
          <p>
            <Definition text="Of the application’s functions that run in at least half of these samples, themselves or in what they call, one that runs none of the others; if there is none in half, the one in most. Of a library’s, if none is the application’s">
              <b>{time(main.total)} of {time(busy)}</b>
            </Definition>{" "}
            in{" "}
            <button type="button" className="bare" onClick={() => mark(main.frame)}>
              <code>{profile.frames[main.frame]!.function}</code>
            </button>{" "}
            and what it calls
            <small className="quiet">{time(main.self)} itself</small>
          </p>
        )}
      </div>
      {omitted !== "" && <p className="note pad">{omitted}</p>}
      <div className="profile-body">
        <div className="profile-graph">
          <div className="line pad">
            <Segmented label="Shown as" name="as" choices={SHAPES} />
            <SearchInput
              label="Search functions and files"
              placeholder="Function or file"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            <label className="line">
              <input
                type="checkbox"
                checked={isOwn}
                onChange={({ target }) => changeParams({ own: target.checked ? "1" : undefined })}
              />
              Own code only
            </label>
            {searched !== "" && (
              <output className="quiet">{formatCount(matches.size, "function")} found</output>
            )}
          </div>
          {busy === 0 ? <p className="empty">No function ran in these samples.</p> : (
            <ProfileFlame
              profile={profile}
              tree={drawn}
              {...{ isHeavy, timeWindow, selected }}
              found={matches}
              onSelect={setSelected}
            />
          )}
          <FunctionTable
            tree={tree}
            rows={searched === "" ? rows : rows.filter(({ frame }) => matches.has(frame))}
            selected={selected?.frame}
            onSelect={mark}
          />
        </div>
        <ProfileFacts {...{ profile, rows, selected }} tree={drawn} />
      </div>
    </>
  );
}

const isMatch = ({ function: name, file }: ProfileFrame, text: string) =>
  `${name}\n${file ?? ""}`.toLowerCase().includes(text);
