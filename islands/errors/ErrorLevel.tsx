import { formatNumber } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import { errorKind } from "../../components/outcome.ts";

/** Known levels have up to seven characters; a longer one would break the table. */
const MAX_LENGTH = 12;

type Badges = Pick<ErrorGroupRow, "level" | "handled" | "unhandled" | "count">;

/**
 * The most severe level of a group, and how many of its errors were not handled. The level `error` is left out if there is
 * more to say, because most errors have it.
 *
 * @param props.isMark a mark alone, whose title has the words
 */
export function ErrorLevel({ of, isMark }: { of: Badges; isMark?: boolean }) {
  const { level, handled } = of;
  const kind = errorKind(level, handled);
  const words = wordsOf(of).filter((word) => isMark || word !== "error" || handled === null)
    .join(", ");
  const shape = handled === null ? "" : handled ? "outlined" : "filled";
  return (
    <span
      className={isMark ? kind : `level ${kind} ${shape}`}
      title={isMark ? words : undefined}
    >
      <OutcomeMark kind={kind === "waits" && handled ? "ring" : kind} />
      {isMark ? <span className="vh">{`${words} `}</span> : words}
    </span>
  );
}

const wordsOf = ({ level, handled, unhandled, count }: Badges) => [
  level.slice(0, MAX_LENGTH),
  ...handled === null ? [] : [handled ? "handled" : unhandledOf(unhandled, count)],
];

/** "2 of 8 unhandled" */
export const unhandledOf = (unhandled: number, count: number) =>
  unhandled === count
    ? "unhandled"
    : `${formatNumber(unhandled)} of ${formatNumber(count)} unhandled`;
