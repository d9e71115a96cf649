import { type ComponentType, useEffect, useState } from "react";
import { Glass, type GlassPlace } from "./Glass.tsx";
import { phaseSentence } from "./phase_sentence.ts";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";

/** The sight glass: a tube from this browser to where envelopes end, and what passes in it. */
export default function Strip(place: GlassPlace) {
  return (
    <ErrorBoundary what="The glass">
      <Sight {...place} />
    </ErrorBoundary>
  );
}

/** Nothing passes before telemetry runs: until then the glass is still, and its works are not loaded. */
function Sight(place: GlassPlace) {
  const { phase, reason } = useTelemetry();
  const runs = phase === "running";
  const [Live, setLive] = useState<ComponentType<GlassPlace>>();
  const [isBlind, setBlind] = useState(false);
  useEffect(() => {
    if (!runs) return;
    import("./live_glass.tsx").then(
      ({ LiveGlass }) => setLive(() => LiveGlass),
      () => setBlind(true),
    );
  }, [runs]);

  if (Live) return <Live {...place} />;
  const sentence = isBlind
    ? "Telemetry runs, but what shows it passing did not load: load the page again to see it."
    : phaseSentence({ phase, reason });
  return <Glass place={place} reading={sentence} />;
}
