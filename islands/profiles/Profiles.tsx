import "../view_code.ts";
import { useFragment } from "../data/fragment.ts";
import { Split } from "../kit/Split.tsx";
import { ProfileList } from "./ProfileList.tsx";
import { ProfileView } from "./ProfileView.tsx";

const PROFILE_ID = /^[\da-f]{32}$/;

/** The view of profiles: the list (`#/profiles`), and one of them (`#/profiles/ID`). */
export default function Profiles() {
  const { path: [id = ""] } = useFragment();
  const openKey = PROFILE_ID.test(id) ? id : undefined;
  return (
    <Split
      look="covers"
      list={<ProfileList openKey={openKey} />}
      detail={openKey && <ProfileView key={openKey} id={openKey} />}
    />
  );
}
