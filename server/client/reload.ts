/**
 * Development only: reloads the page when the server has restarted, which it does after every change. The
 * browser reconnects by itself.
 */
let known: string | undefined;
new EventSource("/_reload").onmessage = ({ data }: MessageEvent<string>) => {
  if (known !== undefined && known !== data) location.reload();
  known = data;
};
