import type { Handlers } from "../../../../mod.ts";
import { GREETING } from "../_private.ts";

export const handlers: Handlers<{ name: string }> = {
  GET: ({ url, peer, state }) =>
    Response.json({ greeting: GREETING, query: url.search, peer, state: state.name }),
  POST: async ({ req }) => new Response(await req.text(), { status: 201 }),
};
