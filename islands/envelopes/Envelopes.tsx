import "../view_code.ts";
import { Split } from "../kit/Split.tsx";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { EnvelopeDetails } from "./EnvelopeDetails.tsx";
import { EnvelopeList } from "./EnvelopeList.tsx";

/** The envelopes view: the list (`#/envelopes`), and one envelope beside it (`#/envelopes/ID`). */
export default function EnvelopesView() {
  const { path: [idText], params } = useFragment();
  const id = Number(idText);
  const back = fragmentTo("envelopes", [], Object.fromEntries(params));
  return (
    <Split
      list={<EnvelopeList openKey={idText} />}
      detail={idText && <EnvelopeDetails key={id} id={id} back={back} />}
    />
  );
}
