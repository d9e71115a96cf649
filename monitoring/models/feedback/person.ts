import type { FeedbackRow } from "../rows.ts";

/** How a user is named: as in the form, else as the application did; null: not at all. */
export const personOf = (
  { name, email, user }: Pick<FeedbackRow, "name" | "email" | "user">,
): string | null => name ?? email ?? user;
