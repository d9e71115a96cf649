import { VIEWS } from "../islands/shared/view.ts";

const names = Object.keys(VIEWS).filter((name) => name !== "overview").join("|");

/**
 * Stands in the head: tells the style which view is open before anything is drawn, so that none
 * flashes. From then on the tabs do so.
 */
export const viewScript =
  `!function(d){d.dataset.view=(/^#\\/(${names})\\b/.exec(location.hash)||[0,"overview"])[1]}` +
  `(document.documentElement)`;
