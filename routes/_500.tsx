import { Notice } from "../components/Notice.tsx";

export default function ServerError() {
  return (
    <Notice title="Server error">
      <p>
        Cannot show this page: the server failed (status 500). The operator finds the cause in the
        server's log.
      </p>
    </Notice>
  );
}
