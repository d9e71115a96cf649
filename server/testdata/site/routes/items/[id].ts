import type { Handlers } from "../../../../mod.ts";

export const handlers: Handlers = {
  GET: ({ params, next }) => params.id === "none" ? next() : Response.json(params),
};
