import { RawClient } from "./_raw_client.ts";
import { DSN, envelope } from "./_start_relay.ts";

/** The answer to one envelope of a flood. */
export interface FloodAnswer {
  readonly id: string;
  readonly status: number;
  /** Error code of the contract; undefined after a success. */
  readonly error: string | undefined;
}

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
const LINE_FEED = 10;

/** Sends many envelopes at once. Rejects if one is not answered. */
export async function flood({ host, count, bytes }: FloodOptions): Promise<FloodAnswer[]> {
  // One buffer for all, so that the client needs little memory.
  const payload = new Uint8Array(bytes).fill(FILLER);
  return await Promise.all(Array.from({ length: count }, async (_, n) => {
    const id = ID_PREFIX + n.toString(16).padStart(NUMBER_DIGITS, "0");
    const head = envelope({ event_id: id, dsn: DSN }, []);
    const item = envelope({ type: "attachment", length: bytes }, []);
    using client = await RawClient.connect(host);
    await client.sendHead({ "content-length": `${head.length + item.length + bytes}` });
    // The relay may refuse it, and close the connection, before all is sent.
    const sending = client.send(head).then(() => client.send(item)).then(() => client.send(payload))
      .catch(() => {});
    const answer = await client.answer();
    await sending;
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
    const error = /"error":"(\w+)"/.exec(answer)?.[1];
    return { id, status, error };
  }));
}

/**
 * The event id of an envelope of a flood that arrived complete; undefined for other envelopes.
 *
 * @param bytes length of the payload that was sent
 */
export function floodId(body: Uint8Array, bytes: number): string | undefined {
  const end = body.indexOf(LINE_FEED);
  const header = new TextDecoder().decode(body.subarray(0, end));
  const id = new RegExp(`"event_id":"(${ID_PREFIX}[0-9a-f]+)"`).exec(header)?.[1];
  if (id === undefined) return undefined;
  const payload = body.subarray(body.indexOf(LINE_FEED, end + 1) + 1);
  return payload.length === bytes && payload.every((byte) => byte === FILLER) ? id : undefined;
}
