import "../view_code.ts";
import { RunList } from "./RunList.tsx";

/** The view of AI runs: the list (`#/ai`). */
export default function AiRuns() {
  return <RunList openKey={undefined} />;
}
