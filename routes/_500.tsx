import { Notice } from "../components/Notice.tsx";

export default function ServerError() {
  return (
    <Notice title="The server failed on this request">
      <p>
        Status 500. The server goes on; the reason is in its own log. Asking again may work, since
        one request's failure is not kept.
      </p>
    </Notice>
  );
}
