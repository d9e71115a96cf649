/** News of a group of errors: it is new, or it came back after it was resolved. All texts are untrusted. */
export interface GroupAlert {
  readonly kind: "new" | "regression";
  /** Key of the group. */
  readonly group: string;
  readonly type: string;
  readonly message: string;
  readonly release: string | null;
  readonly environment: string | null;
  /** Name of the application. */
  readonly source: string;
}

/** What happened, in a few words: "Regression in 1.4.2: TypeError". */
export function alertTitle({ kind, type, release }: GroupAlert): string {
  const where = release === null ? "" : ` in ${release}`;
  return `${kind === "new" ? "New error" : "Regression"}${where}: ${type}`;
}
