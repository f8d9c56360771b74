import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Rule, Rules } from '../../../src/convert/claims.ts';
import { composeRules } from '../../../src/convert/compose/rules.ts';

const page = fileURLToPath(new URL('../../../docs/import.md', import.meta.url));

function outcomeOf(rule: Rule): string {
  if ('to' in rule) return `Becomes ${rule.to}.`;
  if (!('told' in rule)) return `Nothing. ${rule.reason}`;
  const told = rule.told.map(({ grade, reason }) => `\`${grade}\`: ${reason}`);
  return [...told, ...(rule.reason ? [`Otherwise: ${rule.reason}`] : [])].join(' ');
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
  return ['| key | what becomes of it |', '|---|---|', ...new Set(lines)].join('\n');
}

/** To write the table again: `npx vitest run --project sqlite test/unit/convert/docs.once.test.ts -u`. */
it('the docs have a row for each rule', async () => {
  const text = readFileSync(page, 'utf8');
  const at = text.indexOf('| key | what becomes of it |');
  await expect(`${text.slice(0, at)}${tableOf(composeRules)}\n`).toMatchFileSnapshot(page);
});
