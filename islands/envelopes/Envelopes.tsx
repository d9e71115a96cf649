import "../view_code.ts";
import { Split } from "../kit/Split.tsx";
import { useFragment } from "../data/fragment.ts";
import { EnvelopeDetails } from "./EnvelopeDetails.tsx";
import { EnvelopeList } from "./EnvelopeList.tsx";

/** The envelopes view: the list (`#/envelopes`), and one envelope beside it (`#/envelopes/ID`). */
export default function EnvelopesView() {
  const { path: [idText] } = useFragment();
  const id = Number(idText);
  return (
    <Split
      list={<EnvelopeList openKey={idText} />}
      detail={idText && <EnvelopeDetails key={id} id={id} />}
    />
  );
}
