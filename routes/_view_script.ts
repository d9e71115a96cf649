import { VIEWS } from "../islands/shared/view.ts";

const names = Object.keys(VIEWS).filter((name) => name !== "overview").join("|");

/**
 * Inline script in the head: sets `data-view` before the first paint, so that no other view flashes. Later the tabs
 * set it.
 */
export const viewScript =
  `!function(d){d.dataset.view=(/^#\\/(${names})\\b/.exec(location.hash)||[0,"overview"])[1]}` +
  `(document.documentElement)`;
