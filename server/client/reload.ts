/** Development only: reloads the page when the server has restarted. The browser reconnects by itself. */
let known: string | undefined;
new EventSource("/_reload").onmessage = ({ data }: MessageEvent<string>) => {
  if (known !== undefined && known !== data) location.reload();
  known = data;
};
