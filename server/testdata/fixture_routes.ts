import type { Route } from "../app.ts";

/** The routes of the fixture project. */
export const FIXTURE_ROUTES: readonly Route[] = [
  {
    path: "/api/echo",
    handlers: {
      GET: ({ url, peer }) => Response.json({ greeting: "hello", query: url.search, peer }),
      POST: async ({ req }) => new Response(await req.text(), { status: 201 }),
      // Does not read the body.
      DELETE: () => new Response(null, { status: 403 }),
    },
  },
  {
    path: "/api/fail",
    handlers: {
      GET() {
        throw new Error("secret of the handler");
      },
      POST: () => Promise.reject(new Error("secret of the promise")),
    },
  },
  { path: "/items/[id]", handlers: { GET: ({ params }) => Response.json(params) } },
];
