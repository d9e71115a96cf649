import "../background_code.ts";
import { ServerConfiguration, SettingsList } from "../../components/Configuration.tsx";
import { Panel } from "../../components/Panel.tsx";
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
      <Panel
        id="signals"
        title="Test signals"
        links={<a href="#proof">Prove that it arrives</a>}
      >
        <Signals />
      </Panel>
      <div className="specification grid">
        <Panel id="configuration" title="Configuration">
          <ServerConfiguration {...page} />
          <SettingsList settings={page.settings} />
        </Panel>
        <Panel id="session" title="This session" isUnrecorded>
          <Session />
        </Panel>
      </div>
      <Panel id="consent" title="Consent" isUnrecorded>
        <Consent />
      </Panel>
      <Panel id="proof" title="Proof of the pipeline" isUnrecorded>
        <Proof variant={variant} route={route} />
      </Panel>
      <Panel id="cost" title="Cost of monitoring" isUnrecorded>
        <Cost scripts={scripts} />
      </Panel>
    </div>
  );
}
