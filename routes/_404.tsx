import { Notice } from "../components/Notice.tsx";

export default function NotFound() {
  return (
    <Notice title="Page not found">
      <p>
        Status 404. Sightglass has only one page. If you followed a link on it, the link belongs to
        another version of this server.
      </p>
    </Notice>
  );
}
