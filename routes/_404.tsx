import { Notice } from "../components/Notice.tsx";

export default function NotFound() {
  return (
    <Notice title="Nothing at this address">
      <p>
        Status 404. Sightglass has one page. If an address within it brought you here, the address
        is older or newer than this server.
      </p>
    </Notice>
  );
}
