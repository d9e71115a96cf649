import { KINDS } from "./kinds.ts";

export function Mark() {
  return <i>{KINDS.length}</i>;
}
