import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Rule, Rules } from '../../../src/convert/claims.ts';
import { composeRules } from '../../../src/convert/compose/rules.ts';
import { kubernetesRules } from '../../../src/convert/kubernetes/rules.ts';

const page = fileURLToPath(new URL('../../../docs/import.md', import.meta.url));

function outcomeOf(rule: Rule): string {
  if ('to' in rule) return `Becomes ${rule.to}.`;
  if (!('notes' in rule)) return `Nothing. ${rule.reason}`;
  const notes = rule.notes.map(({ grade, reason }) => `\`${grade}\`: ${reason}`);
  return [...notes, ...(rule.reason ? [`Otherwise: ${rule.reason}`] : [])].join(' ');
}

/** A row for all keys below a path that have one outcome. */
function tableOf(rules: Rules): string {
  const rows = new Map<string, string[]>();
  for (const [path, rule] of Object.entries(rules)) {
    const [, parent, key] = /^(.*?)\.?([^.]+)$/.exec(path.replaceAll('[]', ''))!;
    const row = JSON.stringify([parent, outcomeOf(rule)]);
    const keys = rows.get(row) ?? [];
    if (!keys.includes(key!)) rows.set(row, [...keys, key!]);
  }
  const lines = [...rows].map(([row, keys]) => {
    const [parent, outcome] = JSON.parse(row) as [string, string];
    const [first, ...others] = keys.map((key) => `\`${key}\``);
    const path = parent ? `\`${parent}.${keys[0]}\`` : first;
    return `| ${[path, ...others].join(', ')} | ${outcome} |`;
  });
  return ['| key | result |', '|---|---|', ...new Set(lines)].join('\n');
}

/** The rules of Kubernetes, those for pods once where they are the same for all workloads. */
function rulesByField(): Rules {
  const template = /^\w+\.spec\.(jobTemplate\.spec\.)?template\.spec\./;
  const entries = Object.entries(kubernetesRules).map(([path, rule]): [string, Rule] => {
    const ofDeployment = kubernetesRules[path.replace(template, 'Deployment.spec.template.spec.')];
    const isSame = ofDeployment && outcomeOf(ofDeployment) === outcomeOf(rule);
    return [isSame ? path.replace(template, 'pod.') : path, rule];
  });
  return Object.fromEntries(entries);
}

const head = '| key | result |';

/** The text with the table after a heading replaced. */
function withTable(text: string, heading: string, table: string): string {
  const from = text.indexOf(head, text.indexOf(`\n## ${heading}\n`));
  const end = text.indexOf('\n\n', from);
  return `${text.slice(0, from)}${table}${end < 0 ? '\n' : text.slice(end)}`;
}

/** To write the tables again: `npx vitest run --project sqlite test/unit/convert/docs.once.test.ts -u`. */
it('the docs have a row for each rule', async () => {
  const text = readFileSync(page, 'utf8');
  const withCompose = withTable(text, 'Key by key', tableOf(composeRules));
  const table = tableOf(rulesByField());
  await expect(withTable(withCompose, 'Field by field', table)).toMatchFileSnapshot(page);
});
