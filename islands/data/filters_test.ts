import assert from "node:assert/strict";
import { isNarrowed } from "./filters.ts";

Deno.test("address of a detail → filters that may leave it out; an application's if it was not found", () => {
  const found = (query: string, isMissing = false) =>
    isNarrowed(new URLSearchParams(query), "occurrences", isMissing);
  for (const query of ["since=15m", "q=x", "level=fatal", "release=1"]) assert(found(query), query);
  for (const query of ["", "application=a", "state=muted", "sort=count", "application=all"]) {
    assert(!found(query), query);
  }
  assert(found("application=a", true));
  assert(!found("application=all", true));
});
