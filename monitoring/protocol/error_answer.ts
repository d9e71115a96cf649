export interface ErrorFacts {
  readonly status: number;
  readonly error: string;
  /** One ASCII sentence: what is wrong, and what would be right. */
  readonly detail: string;
}

/** The form of every error, `{"error","detail"}`, as parts of a response. */
export function errorAnswer(
  { status, error, detail }: ErrorFacts,
  headers: Readonly<Record<string, string>> = {},
) {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ error, detail }),
  };
}
