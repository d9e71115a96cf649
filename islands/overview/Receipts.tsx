import { receiptKey } from "../../components/outcome.ts";
import { EnvelopeTable } from "../../components/EnvelopeTable.tsx";
import { receiptColumns, ReceiptRow } from "./ReceiptRow.tsx";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";

/** What the browser knows of each envelope that it sent. */
export default function Receipts() {
  return (
    <ErrorBoundary what="The list of receipts">
      <ReceiptTable />
    </ErrorBoundary>
  );
}

function ReceiptTable() {
  const { receipts } = useTelemetry();
  return (
    <EnvelopeTable
      name="receipts"
      caption="Envelopes sent by this page, newest first"
      columns={receiptColumns}
      empty={receipts.length === 0 && "Nothing has been sent yet."}
    >
      {receipts.map((receipt) => <ReceiptRow key={receiptKey(receipt)} receipt={receipt} />)}
    </EnvelopeTable>
  );
}
