import type { Context } from "../../../../mod.ts";

export async function middleware(ctx: Context): Promise<Response> {
  const response = await ctx.next();
  response.headers.set("X-Inner", response.headers.get("X-Outer") ?? "first");
  return response;
}
