import { Buffer } from "node:buffer";
import type { Page } from "@playwright/test";

/** A file on the user's disk. */
export interface SavedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Opens a file in the inspector, by keyboard. */
export async function inspectFile(page: Page, { name, bytes }: SavedFile): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  const button = page.getByRole("button", { name: "Inspect a file" });
  await button.focus();
  await page.keyboard.press("Enter");
  await (await chooser).setFiles({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(bytes),
  });
}

/** Drops a file on the page. */
export async function dropFile(page: Page, { name, bytes }: SavedFile): Promise<void> {
  const dataTransfer = await page.evaluateHandle(([name, bytes]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], name));
    return transfer;
  }, [name, [...bytes]] as const);
  await page.dispatchEvent("main", "dragover", { dataTransfer });
  await page.dispatchEvent("main", "drop", { dataTransfer });
}
