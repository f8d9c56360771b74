import { actionTexts } from '../domain/role/model.ts';
import { type Action, enumName, requiredRoles, roles } from '../kernel/actions.ts';

const [start, end] = ['<!-- actions -->', '<!-- end of actions -->'];

/** The reference with the table of the actions that each role includes. */
export function withRoleTable(reference: string): string {
  const [before, rest] = reference.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/reference.md has no table between ${start} and ${end}.`);
  return `${before}${start}\n\n${table()}\n\n${end}${after}`;
}

function table(): string {
  const head = ['action', ...roles, 'administrator', 'note'];
  const rows = Object.entries(requiredRoles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([action, required]) => {
      const rank = required === 'administrator' ? roles.length : roles.indexOf(required);
      const marks = [...roles, 'administrator'].map((_, index) => (index >= rank ? '✓' : ''));
      return [`\`${enumName(action)}\``, ...marks, textOf(action as Action)];
    });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The text of an action whose name does not explain it. */
const textOf = (action: Action) =>
  actionTexts[action].startsWith('The mutation') ? '' : actionTexts[action];
