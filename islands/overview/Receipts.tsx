import { passingKey } from "../shared/flow.ts";
import { Ledger } from "../../components/Ledger.tsx";
import { receiptColumns, ReceiptRow } from "./ReceiptRow.tsx";
import { Boundary } from "../shared/boundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";

/** What the browser knows of each envelope that it sent. */
export default function Receipts() {
  return (
    <Boundary what="The list of receipts">
      <ReceiptLedger />
    </Boundary>
  );
}

function ReceiptLedger() {
  const { receipts } = useTelemetry();
  return (
    <Ledger
      name="receipts"
      caption="Envelopes sent by this page, newest first"
      columns={receiptColumns}
      empty={receipts.length === 0 && "Nothing has been sent yet."}
    >
      {receipts.map((receipt) => <ReceiptRow key={passingKey(receipt)} receipt={receipt} />)}
    </Ledger>
  );
}
