import type { Handlers } from "../../../../mod.ts";

export const handlers: Handlers = {
  GET() {
    throw new Error("secret of the handler");
  },
  POST: () => Promise.reject(new Error("secret of the promise")),
};
