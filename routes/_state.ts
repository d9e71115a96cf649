import type { InboxEndpoint } from "../monitoring/inbox/http.ts";
import type { Relay } from "../monitoring/relay/relay.ts";

/** What a handler reaches through `ctx.state`: the services that main.ts has put together. */
export interface State {
  readonly relay: Relay;
  /** In relay mode there is none behind it, and it answers 404. */
  readonly inbox: InboxEndpoint;
}
