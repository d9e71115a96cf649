import { formatNumber } from "./format.ts";
import { OutcomeMark } from "./OutcomeMark.tsx";

/** A number in a list; zero is quiet. @param props.isFailure red with a mark, unless the number is 0 */
export function Count({ of, isFailure }: { of: number; isFailure?: boolean }) {
  const isRefused = isFailure && of > 0;
  return (
    <span className={isRefused ? "refused" : of > 0 ? undefined : "none"}>
      {isRefused && <OutcomeMark kind="refused" />}
      {formatNumber(of)}
    </span>
  );
}
