/** The part of npm `pg` that is used. Its published types would replace Deno's types of Node with others. */
interface Queryable {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | (() => string);
  readonly database: string;
  readonly ssl: false | {
    readonly rejectUnauthorized: boolean;
    readonly ca?: string;
    readonly checkServerIdentity?: () => undefined;
  };
  readonly connectionTimeoutMillis?: number;
  readonly query_timeout?: number;
  readonly keepAlive?: boolean;
  readonly fallback_application_name?: string;
}

interface PoolOptions extends ConnectionOptions {
  readonly max: number;
  readonly idleTimeoutMillis: number;
  readonly allowExitOnIdle: boolean;
}

interface PoolClient extends Queryable {
  /** @param destroy closes the connection */
  release(destroy: boolean): void;
  on(event: "error", listener: (error: Error) => void): void;
}

declare class Client implements Queryable {
  constructor(options: ConnectionOptions);
  connect(): Promise<void>;
  end(): Promise<void>;
  /** Does not keep the process running. */
  unref(): void;
  query: Queryable["query"];
  /** The server process's id as the server, or a pooler, has sent it. */
  readonly processID: number | null;
  on(event: "error" | "end", listener: (error?: Error) => void): void;
  on(event: "notification", listener: (from: { readonly processId: number }) => void): void;
}

declare class Pool implements Queryable {
  constructor(options: PoolOptions);
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
  query: Queryable["query"];
  on(event: "error" | "connect", listener: (client: PoolClient) => void): void;
}

declare const pg: { readonly Client: typeof Client; readonly Pool: typeof Pool };
export type { ConnectionOptions, Queryable };
export default pg;
