import { parseArgs, type ParseArgsConfig } from "node:util";
import { type Config, ConfigError } from "../config/config.ts";
import { IS_PACKAGED, TOOL } from "../monitoring/protocol/commands.ts";
import { hostPort } from "../monitoring/protocol/loopback.ts";

/** The message is one line that states how to fix it. */
export class UserError extends Error {
  override readonly name: string = "UserError";
}

/** Exits with the code that a task returns. An error that the user can fix is printed without a stack trace. */
export async function runTask(task: () => Promise<number>, failure = 1): Promise<never> {
  try {
    Deno.exit(await task());
  } catch (error) {
    const isExpected = error instanceof UserError || error instanceof ConfigError;
    console.error(isExpected ? error.message : error);
    Deno.exit(failure);
  }
}

/** @param what the task cannot do with wrong arguments, for the message: `prove` @throws {UserError} */
export function readArguments<T extends ParseArgsConfig>(
  what: string,
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // More sentences are about arguments that begin with a hyphen.
    const reason = error.message.replace(/\. .*|$/s, ".");
    throw new UserError(`Cannot ${what}: ${reason} Use: ${usage}`);
  }
}

export function httpOrigin(address: string): string | undefined {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Where this machine reaches a server: one that listens on all interfaces, on loopback. */
export function originOf({ hostname, port }: Pick<Config, "hostname" | "port">): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[hostname] ?? hostname;
  return `http://${hostPort(host, port)}`;
}

/**
 * Text that cannot control a terminal, on one line. Attack: telemetry with escape sequences that rewrite
 * lines or the title, or characters that reverse the order of text.
 */
export function visibleText(text: string): string {
  return text
    .replace(/\s*(\r\n|[\n\r\p{Zl}\p{Zp}])\s*/gu, " ⏎ ")
    .replace(/[\t\p{Zs}]/gu, " ")
    .replace(/\p{Cc}/gu, "\ufffd")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toWellFormed();
}

export interface InboxAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** `INBOX_TOKEN`; undefined: the server is on this machine and has none. */
  readonly token: string | undefined;
}

/** No answer, or 5xx: the same request may succeed later. */
export class UnavailableError extends UserError {
  override readonly name = "UnavailableError";
}

/** @param what the task cannot do without it, for the message @throws {UnavailableError}; {UserError} for 3xx and 4xx */
export async function requestInbox(
  what: string,
  { origin, token }: InboxAddress,
  query: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  const address = `${origin}/monitoring/inbox?${query}`;
  const response = await fetch(address, { ...init, headers, redirect: "manual" }).catch((cause) => {
    throw new UnavailableError(
      `Cannot ${what}: no server answers at ${origin}. "${
        IS_PACKAGED ? TOOL : `${TOOL} start`
      }" starts one.`,
      { cause },
    );
  });
  if (response.ok) return response;
  const { detail } = Object(await response.json().catch(() => undefined));
  const reason = typeof detail === "string" ? visibleText(detail) : "Is it Sightglass?";
  const message = `Cannot ${what}: ${origin} answers ${response.status}. ${reason}`;
  throw response.status >= 500 ? new UnavailableError(message) : new UserError(message);
}
