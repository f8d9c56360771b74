import type { Context } from './context.ts';
import { plain, print, shortDigest, style } from './show.ts';

interface PlannedChange {
  action: 'CREATE' | 'UPDATE' | 'DELETE' | 'ADOPT';
  object: string;
  component: string | null;
  name: string;
  fields: { field: string; before: string | null; after: string | null; isSecret: boolean }[];
  isDestructive: boolean;
  takesEffect: string;
}

interface PlannedObject {
  object: string;
  component: string | null;
  name: string;
}

export interface Plan {
  digest: string;
  changes: PlannedChange[];
  leftOver: PlannedObject[];
  adopted: PlannedObject[];
  images: { component: string; reference: string; digest: string | null; note: string | null }[];
  leftStopped: string[];
}

const object = 'object component name';
export const planSelection = `digest changes { action ${object} fields { field before after isSecret } isDestructive takesEffect } leftOver { ${object} } adopted { ${object} } images { component reference digest note } leftStopped`;

const signs = { CREATE: '+', UPDATE: '~', DELETE: '-', ADOPT: '~' } as const;
const colors = { CREATE: 'green', UPDATE: 'yellow', DELETE: 'red', ADOPT: 'yellow' } as const;

const words = (kind: string) => kind.toLowerCase().replaceAll('_', ' ');
const named = ({ object: kind, component, name }: PlannedObject) =>
  plain(`${words(kind)} ${component === null ? name : `${component} ${name}`}`);

const shortened = (value: string | null) => {
  if (value === null) return 'none';
  const text = plain(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** Prints a plan as a diff. */
export function printPlan(context: Context, application: string, plan: Plan): void {
  const { changes, leftOver, adopted, images, leftStopped } = plan;
  if (changes.length === 0) print(context, `${plain(application)}: nothing to change`);
  else print(context, style(context, 'bold', plain(application)));
  for (const change of changes) {
    const destroys = change.isDestructive ? style(context, 'red', '  destroys data or an address') : '';
    const adopts = change.action === 'ADOPT' ? style(context, 'dim', '  adopted') : '';
    print(
      context,
      `${style(context, colors[change.action], `  ${signs[change.action]} ${named(change)}`)}${adopts}${destroys}`,
    );
    if (change.action === 'DELETE') continue;
    for (const { field, before, after, isSecret } of change.fields) {
      if (change.action === 'CREATE' && after === null) continue;
      const valueText =
        change.action === 'CREATE' ? shortened(after) : `${shortened(before)} → ${shortened(after)}`;
      print(
        context,
        style(context, 'dim', `      ${plain(field)}: ${isSecret ? `${valueText} (secret)` : valueText}`),
      );
    }
  }
  for (const { component, reference, digest, note } of images) {
    const what = [
      reference,
      ...(digest === null ? [] : [shortDigest(digest)]),
      ...(note === null ? [] : [note]),
    ];
    print(context, style(context, 'dim', `  image of ${plain(component)}: ${plain(what.join(', '))}`));
  }
  const same = adopted.filter((each) => each.object !== 'APPLICATION');
  if (same.length > 0)
    print(
      context,
      style(context, 'dim', `  becomes part of the manifest unchanged: ${same.map(named).join(', ')}`),
    );
  if (leftOver.length > 0) {
    print(
      context,
      style(
        context,
        'dim',
        `  no longer in the manifest, and kept without --prune: ${leftOver.map(named).join(', ')}`,
      ),
    );
  }
  printLeftStopped(context, leftStopped);
  if (changes.length === 0) return;
  const count = (action: string) => changes.filter((change) => change.action === action).length;
  print(
    context,
    `  ${count('CREATE')} to create, ${count('UPDATE') + count('ADOPT')} to change, ${count('DELETE')} to delete`,
  );
}

/** Prints which components are stopped, and are not deployed for that. */
export function printLeftStopped(context: Context, names: readonly string[]): void {
  if (names.length === 0) return;
  const line = `  stay stopped without --start-stopped: ${names.map(plain).join(', ')}`;
  print(context, style(context, 'dim', line));
}
