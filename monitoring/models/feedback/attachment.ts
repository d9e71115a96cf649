import type { Item } from "../../protocol/envelope.ts";
import { integerAt, textAt, tidyText } from "../json.ts";

/** An attachment of an envelope, without its content. */
export interface AttachmentFacts {
  /** Index of the item in its envelope: `?attachment=ENVELOPE.ITEM` has the content. */
  readonly item: number;
  /** Untrusted. */
  readonly name: string;
  /** By its bytes: of an image that browsers show, else `application/octet-stream`. */
  readonly type: string;
  readonly bytes: number;
}

/** Attachments of an envelope that its feedback lists. SDKs send a screenshot or a few files. */
export const MAX_ATTACHMENTS = 10;

const OTHER_TYPE = "application/octet-stream";

/** Characters. */
const MAX_NAME = 100;

/** First bytes, in hexadecimal digits. Not SVG, which may contain scripts. */
const IMAGES: Readonly<Record<string, RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^474946383[79]61/,
  "image/webp": /^52494646.{8}57454250/,
};

/** Version 2 has JSON before the content: https://develop.sentry.dev/sdk/telemetry/attachments/ */
const VERSION_2 = "application/vnd.sentry.attachment.v2";

/** What was attached. */
export function attachedBytes({ header, payload }: Item): Uint8Array {
  const meta = header.content_type === VERSION_2 ? integerAt(header, 0, "meta_length") ?? 0 : 0;
  return payload.subarray(meta);
}

/** @param index of the item in its envelope */
export function attachmentFacts(item: Item, index: number): AttachmentFacts {
  const content = attachedBytes(item);
  const start = Array.from(content.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return {
    item: index,
    name: tidyText(textAt(item.header, "filename"), MAX_NAME) ?? "attachment",
    type: Object.keys(IMAGES).find((type) => IMAGES[type]!.test(start)) ?? OTHER_TYPE,
    bytes: content.byteLength,
  };
}

export const isImage = ({ type }: Pick<AttachmentFacts, "type">): boolean => type !== OTHER_TYPE;
