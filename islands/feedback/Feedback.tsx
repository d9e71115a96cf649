import "../view_code.ts";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { Split } from "../kit/Split.tsx";
import { FeedbackDetail } from "./FeedbackDetail.tsx";
import { FeedbackList } from "./FeedbackList.tsx";

/** Any other text in the address identifies no feedback. */
const KEY = /^f[\da-f]{14}$/;

/** The view of what users wrote: the list (`#/feedback`), or one message beside it (`#/feedback/KEY`). */
export default function FeedbackView() {
  const { path: [key], params } = useFragment();
  const shown = Object.fromEntries(params);
  return (
    <Split
      list={<FeedbackList openKey={key} />}
      detail={key !== undefined && (
        <FeedbackDetail
          key={key}
          feedback={KEY.test(key) ? key : undefined}
          back={fragmentTo("feedback", [], shown)}
        />
      )}
    />
  );
}
