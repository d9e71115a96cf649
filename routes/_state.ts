import type { InboxEndpoint } from "../monitoring/inbox/inbox_endpoint.ts";
import type { McpEndpoint } from "../monitoring/mcp/mcp_endpoint.ts";
import type { Relay } from "../monitoring/relay/relay.ts";
import type { Log } from "../monitoring/runtime/runtime.ts";
import type { SecurityEndpoint } from "../monitoring/security/security_endpoint.ts";
import type { SignalLimits } from "./_signal_limits.ts";

/** `ctx.state` of every handler: the services that main.ts has created. */
export interface State {
  readonly relay: Relay;
  /** Answers 404 in relay mode. */
  readonly inbox: InboxEndpoint;
  /** The inbox for assistants. */
  readonly mcp: McpEndpoint;
  /** The server's log: prints a line, and adds a record to the trace of the request. */
  readonly log: Log;
  readonly player: {
    /** Name of the player's script among the assets. */
    readonly script: string;
    /** The page's origin as browsers see it; undefined: that of the request. */
    readonly publicOrigin: string | undefined;
  };
  /** What browsers report by themselves. */
  readonly security: SecurityEndpoint;
  /** Bounds of `GET /signal`. */
  readonly signals: SignalLimits;
}
