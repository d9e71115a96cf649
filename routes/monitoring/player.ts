import { BadRequestError, type Handler, type Handlers } from "../../server/mod.ts";
import { playerDocument } from "../../monitoring/player/player_document.ts";
import type { State } from "../_state.ts";

const ORIGIN = /^https?:\/\/[a-z\d._[\]:-]+$/;

/** Public: the document contains code and no data. */
const handle: Handler<State> = ({ url, state: { player } }) => {
  const origin = player.publicOrigin ?? url.origin;
  // It becomes part of a header.
  if (!ORIGIN.test(origin)) throw new BadRequestError("The request's Host is not a host.");
  return playerDocument(`${origin}/assets/${player.script}`);
};

export const handlers: Handlers<State> = { GET: handle };
