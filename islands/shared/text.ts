/** The first `max` characters of a text, without half of a surrogate pair. Senders decide how long their texts are. */
export function cutText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed();
}

/** {@linkcode cutText} with an ellipsis if characters are missing. */
export function ellipsize(text: string, max: number): string {
  return text.length > max ? `${cutText(text, max)}…` : text;
}

/** The message of anything that was thrown, for display. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
