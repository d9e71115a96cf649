/** The routes there are. Any other path is text from outside and names no span. */
const ROUTES: readonly string[] = ["/"];

/** The name of the route that a path belongs to; of all unknown ones, "/*". */
export function routeName(pathname: string): string {
  return ROUTES.includes(pathname) ? pathname : "/*";
}
