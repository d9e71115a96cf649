import { TcpClient } from "../tests/harness/tcp_client.ts";
import { DSN, envelope } from "../tests/relay/_start_relay.ts";

interface FloodOptions {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Number of envelopes, sent at once, each over its own connection. */
  readonly count: number;
  /** Length of each payload. */
  readonly bytes: number;
}

/** Prefix of the event ids, because the server also sends envelopes of its own. */
const ID_PREFIX = "f100d";
/** An event id has 32 hexadecimal digits. */
const NUMBER_DIGITS = 32 - ID_PREFIX.length;
/** Each byte of a payload. */
const FILLER = 0x61;

/** Sends many envelopes at once. Rejects if one is not answered. */
export async function flood({ host, count, bytes }: FloodOptions): Promise<void> {
  // One buffer for all, so that the client needs little memory.
  const payload = new Uint8Array(bytes).fill(FILLER);
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    const id = ID_PREFIX + n.toString(16).padStart(NUMBER_DIGITS, "0");
    const head = envelope({ event_id: id, dsn: DSN }, []);
    const item = envelope({ type: "attachment", length: bytes }, []);
    using client = await TcpClient.connect(Number(host.split(":")[1]));
    await client.sendHead({ "content-length": `${head.length + item.length + bytes}` });
    // The relay may refuse it, and close the connection, before all is sent.
    const sending = client.send(head).then(() => client.send(item)).then(() =>
      client.send(payload)
    );
    await client.answer();
    await sending;
  }));
}
