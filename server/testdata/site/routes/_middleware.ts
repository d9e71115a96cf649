import type { Context } from "../../../mod.ts";

/** Marks every answer, and answers one address itself. */
export async function middleware(ctx: Context<{ name: string }>): Promise<Response> {
  if (ctx.url.pathname === "/intercepted") return new Response("by the middleware");
  const response = await ctx.next();
  response.headers.set("X-Outer", ctx.state.name);
  return response;
}
