/** The alert rules and the dashboard in `deploy/`: against the metrics, Prometheus' parser and Grafana's format. */
import assert from "node:assert/strict";
import { parse, stringify } from "yaml";
import { isAvailable } from "../harness/is_available.ts";
import { runProgram } from "../harness/run_program.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { fresh, startRelay } from "./_start_relay.ts";
import dashboard from "../../deploy/grafana-dashboard.json" with { type: "json" };

const rulesFile = new URL("../../deploy/prometheus-alerts.yml", import.meta.url);

/** The used part of a rules file: https://prometheus.io/docs/prometheus/latest/configuration/recording_rules/ */
interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}
const rules: Rules = parse(await Deno.readTextFile(rulesFile));
const alertExpressions = rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr));

/** The dashboard's expressions, with values for Grafana's variables. */
const panelExpressions = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "2m").replaceAll("$job", "a job"))
);

Deno.test("alert rules and dashboard → use only metrics and labels that are reported", async () => {
  await using ingest = startStandInIngest();
  await using relay = startRelay({ upstream: ingest.origin });
  assert.equal((await relay.post(fresh())).status, 200);
  const response = await relay.relay.status.metrics();
  const text = await response.text();
  const reported = new Set(Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name!));
  assert.ok(alertExpressions.length > 5 && panelExpressions.length > 12);
  for (const expression of [...alertExpressions, ...panelExpressions]) {
    const names = expression.match(/\b(?:sightglass|process)_\w+|\bup\b/g);
    assert.ok(names, expression);
    for (const name of names) {
      assert.ok(
        name === "up" || reported.has(name.replace(/_bucket$/, "")),
        `${name}: ${expression}`,
      );
    }
    for (const [, labels] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of labels!.split(/, ?/)) {
        assert.ok(label === "instance" || new RegExp(`[{,]${label}="`).test(text), expression);
      }
    }
  }
});

const hasPromtool = await isAvailable("promtool", "--version");

Deno.test({
  name: "alert rules and dashboard → Prometheus parses each expression" +
    (hasPromtool ? "" : " (ignored: promtool is not installed)"),
  ignore: !hasPromtool,
  async fn() {
    assert.match(await checkRules(rulesFile.pathname), /SUCCESS: 8 rules found/);
    using folder = temporaryFolder();
    const panels = panelExpressions.map((expr, n) => ({ record: `panel:${n}`, expr }));
    const path = `${folder.path}/panels.yml`;
    await Deno.writeTextFile(path, stringify({ groups: [{ name: "panels", rules: panels }] }));
    const success = `SUCCESS: ${panelExpressions.length} rules found`;
    assert.match(await checkRules(path), new RegExp(success));
  },
});

/** The output of `promtool check rules`. Fails if it finds an error. */
async function checkRules(path: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram("promtool", ["check", "rules", path]);
  assert.equal(code, 0, stderr);
  return stdout;
}
