import type { Receipt } from "../../../monitoring/browser/mod.ts";
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

/** Of an envelope that went all the way to the inbox. */
export const STORED: Receipt = {
  id: "e",
  at: 1,
  items: [{ type: "event", bytes: 10 }],
  bytes: 20,
  sentBytes: 20,
  attempts: 1,
  tookMs: 30,
  storedMs: 4,
  sentMs: 10,
  status: 200,
  outcome: "stored",
};
