import type { Circumstances } from "../proof_evidence.ts";

export const INBOX: Circumstances = {
  variant: "inbox",
  route: "/monitoring",
  phase: "running",
  recorder: "buffering",
  isOnline: true,
  isOver: false,
};
export const RELAY: Circumstances = { ...INBOX, variant: "relay" };
