import { type EnvEntry, envValue } from '../../../../formats/env-file.ts';
import { entriesIn, isSecretName } from './env-entries.ts';

export interface Variable {
  id: string;
  name: string;
  /** Null if the caller may not read it. */
  value: string | null;
  scope: 'CONNECTION' | 'ENVIRONMENT';
  isSecret: boolean;
  isChangeable: boolean;
  revision: number;
}
export interface Edit {
  value?: string;
  isRemoved?: boolean;
}
export interface Added {
  name: string;
  value: string;
  /** By the name unless it was chosen. */
  isSecret?: boolean;
}
export interface Edits {
  byId: { readonly [id: string]: Edit | undefined };
  added: readonly Added[];
}

export const noEdits: Edits = { byId: {}, added: [] };
export const isSecret = ({ name, isSecret }: Added) => isSecret ?? isSecretName(name);

/** The text in place of a secret that is not shown. */
const mask = '••••••••';

/** Whether a variable is in the text. A name is only unique in its scope. */
export const isInText = ({ scope, isChangeable }: Variable) => scope === 'ENVIRONMENT' && isChangeable;

const currentOf = (variable: Variable, { byId }: Edits) => byId[variable.id]?.value ?? variable.value;

/** The variables as text, with secrets masked. */
export const textOf = (variables: readonly Variable[], edits: Edits) =>
  [
    ...variables
      .filter((each) => isInText(each) && !edits.byId[each.id]?.isRemoved)
      .map((each) => ({ ...each, value: currentOf(each, edits) })),
    ...edits.added.filter(({ name }) => name !== '').map((each) => ({ ...each, isSecret: isSecret(each) })),
  ]
    .map(({ name, value, isSecret }) => `${name}=${isSecret || value === null ? mask : envValue(value)}\n`)
    .join('');

/** The edits that a text makes, where masked values are those of the edits before. */
export function editsIn(
  variables: readonly Variable[],
  before: Edits,
  entries: readonly EnvEntry[],
  chosen: { readonly [name: string]: boolean | undefined },
): Edits {
  const byId: Record<string, Edit | undefined> = { ...before.byId };
  const known = new Set<string>();
  for (const variable of variables.filter(isInText)) {
    known.add(variable.name);
    const entry = entries.find(({ name }) => name === variable.name);
    if (!entry) byId[variable.id] = { ...byId[variable.id], isRemoved: true };
    else if (entry.value === mask) byId[variable.id] = { value: byId[variable.id]?.value };
    else byId[variable.id] = { value: entry.value === variable.value ? undefined : entry.value };
  }
  const added = entries
    .filter(({ name }) => !known.has(name))
    .map(({ name, value }): Added => {
      const old = before.added.find((each) => each.name === name);
      return {
        name,
        value: value === mask ? (old?.value ?? '') : value,
        isSecret: chosen[name] ?? old?.isSecret,
      };
    });
  return { byId, added };
}

/** The text with the values of secrets, or without them. Comments and the order stay. */
export function withSecrets(
  text: string,
  variables: readonly Variable[],
  edits: Edits,
  isShown: boolean,
): string {
  let shown = text;
  for (const { name, value, from, to } of entriesIn(text).entries.reverse()) {
    const variable = variables.find((each) => isInText(each) && each.name === name);
    const added = edits.added.find((each) => each.name === name);
    if (!(variable?.isSecret || (added && isSecret(added)))) continue;
    const known = variable ? currentOf(variable, edits) : added?.value;
    const next = !isShown ? mask : value === mask && known != null ? envValue(known) : undefined;
    if (next !== undefined) shown = shown.slice(0, from) + next + shown.slice(to);
  }
  return shown;
}

/** The text with the variables of a file: those that it has are replaced, others are added at the end. */
export function withFile(text: string, file: readonly EnvEntry[]): string {
  let merged = text;
  for (const { name, from, to } of entriesIn(text).entries.reverse()) {
    const found = file.find((each) => each.name === name);
    if (found) merged = merged.slice(0, from) + envValue(found.value) + merged.slice(to);
  }
  const known = new Set(entriesIn(text).entries.map(({ name }) => name));
  const added = file.filter(({ name }) => !known.has(name));
  const end = merged === '' || merged.endsWith('\n') ? '' : '\n';
  return merged + end + added.map(({ name, value }) => `${name}=${envValue(value)}\n`).join('');
}

/** The changes to send, and a summary of them in words. */
export function changesOf(variables: readonly Variable[], { byId, added }: Edits) {
  const removed = variables.filter(({ id }) => byId[id]?.isRemoved);
  const changed = variables.filter(({ id, value }) => {
    const edit = byId[id];
    return edit?.value !== undefined && !edit.isRemoved && edit.value !== value;
  });
  const fresh = added.filter(({ name }) => name !== '');
  return {
    removed: removed.map(({ name }) => name),
    changed: changed.map(({ name }) => name),
    added: fresh.map(({ name }) => name),
    count: removed.length + changed.length + fresh.length,
    input: {
      set: [
        ...changed.map(({ id, name, scope, isSecret, revision }) => ({
          name,
          scope,
          isSecret,
          value: byId[id]?.value ?? '',
          expectedRevision: revision,
        })),
        ...fresh.map((each) => ({ name: each.name, value: each.value, isSecret: isSecret(each) })),
      ],
      remove: removed.map(({ name, scope, revision }) => ({ name, scope, expectedRevision: revision })),
    },
  };
}

/** The edits without secrets, which no storage may have. */
export const withoutSecrets = (variables: readonly Variable[], { byId, added }: Edits): Edits => ({
  byId: Object.fromEntries(
    Object.entries(byId).filter(
      ([id, edit]) => edit?.isRemoved || variables.some((each) => each.id === id && !each.isSecret),
    ),
  ),
  added: added.map((each) => (isSecret(each) ? { ...each, value: '' } : each)),
});
