/**
 * In development alone: reloads the page when another server answers than the one that gave it,
 * which is after every change. The browser itself connects again while the server restarts.
 */
let known: string | undefined;
new EventSource("/_reload").onmessage = ({ data }: MessageEvent<string>) => {
  if (known !== undefined && known !== data) location.reload();
  known = data;
};
