import { formatNumber } from "../../components/format.ts";
import { Marked } from "../../components/OutcomeMark.tsx";

/** A number, after how many of them failed. @param props.tip of the failed ones */
export function Counted({ count, failed, tip }: { count: number; failed: number; tip?: string }) {
  return (
    <span className="n">
      {failed > 0 && (
        <Marked kind="refused" title={tip ?? `${formatNumber(failed)} failed`}>
          {formatNumber(failed)} <span className="vh">failed</span> {"of "}
        </Marked>
      )}
      {formatNumber(count)}
    </span>
  );
}
