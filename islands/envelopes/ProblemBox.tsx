import { OutcomeMark } from "../../components/OutcomeMark.tsx";

/**
 * A problem with an envelope or a file.
 *
 * @param props.title what failed
 * @param props.what what is wrong
 * @param props.where the item that has the problem
 * @param props.right what would be right
 * @param props.dump the bytes at the problem, as a hex dump
 */
export function ProblemBox({ title, what, where, right, dump }: {
  title: string;
  what: string;
  where?: string;
  right?: string;
  dump?: string;
}) {
  return (
    <div role="alert" className="failure">
      <p className="refused">
        <OutcomeMark kind="refused" />
        <b>{title}</b>
      </p>
      <p>{what}</p>
      {where && <p>{where}</p>}
      {right && <p>{right}</p>}
      {dump && <pre className="dump" tabIndex={0} aria-label="Bytes at the problem">{dump}</pre>}
    </div>
  );
}
