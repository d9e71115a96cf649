import { Notice } from "../components/Notice.tsx";

export default function ServerError() {
  return (
    <Notice title="Server error">
      <p>
        Status 500. The server could not handle this request; its log has the reason. Reload the
        page to try again.
      </p>
    </Notice>
  );
}
