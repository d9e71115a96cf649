import type { Handlers } from "../../../../mod.ts";

export const handlers: Handlers = {
  GET: ({ params }) => Response.json(params),
};
