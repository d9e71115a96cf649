import "../view_code.ts";
import { Split } from "../kit/Split.tsx";
import { useFragment } from "../data/fragment.ts";
import { EnvelopeDetails } from "./EnvelopeDetails.tsx";
import { EnvelopeList } from "./EnvelopeList.tsx";

/** The envelopes view: the list (`#/envelopes`), and one envelope beside it (`#/envelopes/ID`). */
export default function EnvelopesView() {
  const { path: [idText] } = useFragment();
  const id = /^\d{1,15}$/.test(idText ?? "") ? Number(idText) : 0;
  return (
    <Split
      list={<EnvelopeList openKey={idText} />}
      detail={id > 0 && <EnvelopeDetails key={id} id={id} />}
    />
  );
}
