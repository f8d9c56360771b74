import { createHash } from 'node:crypto';
import { isSecretName } from '../component/model.ts';
import type { ComponentEntry } from './component-model.ts';
import type { ManifestDocument } from './document-model.ts';
import type { Known } from './known.ts';
import type { Standing } from './standing-reads.ts';

/** The revisions of everything that the plan depends on. */
export function revisionsOf(standing: Standing | null, { certificates, outside }: Known): unknown[] {
  const of = (rows: readonly { id: string | number; revision: number }[]) =>
    rows.map(({ id, revision }) => [id, revision]);
  return [
    of([...certificates.values()]),
    [...outside.values()],
    standing && [
      of([standing.application, ...(standing.manifest ? [standing.manifest] : [])]),
      standing.components.map(({ row, ports, variables, volumes, schedules, dependencies, http, tcp }) => [
        of([row]),
        of(ports),
        of(variables),
        of(volumes),
        of(schedules),
        dependencies.map(({ dependencyId, manifestId }) => [dependencyId, manifestId]),
        of(http),
        of(tcp),
      ]),
    ],
  ];
}

export const digestOf = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** The digest of a document without the values of secrets, which could be guessed from it. */
export function documentDigest(
  { components, ...document }: ManifestDocument,
  standing: Standing | null,
): string {
  const stored = new Set(
    (standing?.components ?? []).flatMap(({ row, variables }) =>
      variables.flatMap(({ name, isSecret }) => (isSecret ? `${row.name}/${name}` : [])),
    ),
  );
  const shown = (component: string) => (collection: ComponentEntry['variables']) =>
    Object.entries(collection ?? {}).map(([name, entry]) => {
      const given = typeof entry === 'string' ? { value: entry } : entry;
      const isSecret = given?.isSecret ?? (isSecretName(name) || stored.has(`${component}/${name}`));
      return [name, isSecret && given ? { ...given, value: null } : given];
    });
  const entries = Object.entries(components ?? {}).map(
    ([name, { variables, connectionVariables, ...entry }]) => [
      name,
      entry,
      [variables, connectionVariables].map(shown(name)),
    ],
  );
  return digestOf([document, entries]);
}
