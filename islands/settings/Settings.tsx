import "../background_code.ts";
import { ServerConfiguration, SettingsList } from "../../components/Configuration.tsx";
import type { ComponentProps } from "react";
import { Panel } from "../../components/Panel.tsx";
import { ErrorBoundary } from "../kit/ErrorBoundary.tsx";
import { Proof } from "../proof/Proof.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import { Consent } from "./Consent.tsx";
import { Cost } from "./Cost.tsx";
import { Signals } from "./Signals.tsx";
import { Session } from "./Session.tsx";

/** Test signals, configuration, consent, the proof, and what monitoring costs this very page. */
export default function Settings(page: PageFacts) {
  const { variant, route, scripts } = page;
  return (
    <div className="grid">
      <Part
        id="signals"
        title="Test signals"
        links={<a href="#proof">Prove that it arrives</a>}
      >
        <Signals />
      </Part>
      <div className="specification grid">
        <Part id="configuration" title="Configuration">
          <ServerConfiguration {...page} />
          <SettingsList settings={page.settings} />
        </Part>
        <Part id="session" title="This session" isUnrecorded>
          <Session />
        </Part>
      </div>
      <Part id="consent" title="Consent" isUnrecorded>
        <Consent />
      </Part>
      <Part id="proof" title="Proof of the pipeline" isUnrecorded>
        <Proof variant={variant} route={route} />
      </Part>
      <Part id="cost" title="Cost of monitoring" isUnrecorded>
        <Cost scripts={scripts} />
      </Part>
    </div>
  );
}

/** A panel that catches the errors of its content. */
function Part({ title, children, ...panel }: ComponentProps<typeof Panel>) {
  return (
    <Panel title={title} {...panel}>
      <ErrorBoundary what={title}>{children}</ErrorBoundary>
    </Panel>
  );
}
