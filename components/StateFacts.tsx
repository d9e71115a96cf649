import { Facts } from "./Facts.tsx";

/** The state that the server is in: everything that its environment decided for the page. */
export function StateFacts({ variant, route, ingest, kept, release, environment, build }: {
  variant: string;
  route: string;
  ingest: string;
  kept: string;
  release: string;
  environment: string;
  build: string;
}) {
  return (
    <Facts
      facts={[
        {
          term: "Mode",
          value: variant === "inbox"
            ? (
              <>
                inbox<small>
                  no <code>SENTRY_DSN</code> is set
                </small>
              </>
            )
            : (
              <>
                relay<small>
                  <code>SENTRY_DSN</code> is set
                </small>
              </>
            ),
        },
        { term: "Destination", value: ingest },
        { term: "Route", value: route },
        { term: "Kept here", value: kept },
        { term: "Release", value: <code>{release}</code> },
        { term: "Environment", value: environment },
        { term: "Build", value: <code>{build}</code> },
      ]}
    />
  );
}
