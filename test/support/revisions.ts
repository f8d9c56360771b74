import { expect } from 'vitest';
import { type Model, type Revised, tables } from '../../src/db/tables.ts';
import { groupBy } from '../../src/kernel/group.ts';
import type { Trellis } from './trellis.ts';

/** The models with revisions: those whose table has the column. */
const revisedModels = (Object.keys(tables) as Model[]).filter(
  (model): model is Revised => 'revision' in tables[model].columns,
);

/** The columns of objects that identify them, where it is not `id`. */
const keys: { [model in Model]?: string[] } = { TeamRegion: ['teamId', 'regionId'] };

/** Columns whose changes are not changes of the object, or follow from others. */
const silent: { [model in Model]?: string[] } = {
  Certificate: ['toldDays'],
  Component: ['hasUndeployedChanges'],
  ComponentGroup: ['offeredVersion', 'sealedTemplate'],
  DeployHook: ['lastUsedAt'],
  HttpRule: ['wasDefault'],
  Schedule: ['nextRunAt', 'lastSkippedAt', 'lastSkipReason'],
  TcpRule: ['wasDefault'],
  User: ['clientIp'],
};
const silentEverywhere = ['revision', 'folded', 'updatedAt', 'createdAt'];

interface Revision {
  revision: number;
  /** What counts as the object's own. */
  content: string;
}

/** The revisions of all objects, with their contents. */
export async function revisionsOf({ services: { db } }: Trellis): Promise<Map<string, Revision>> {
  const read = async (model: Model) => {
    const { table, columns } = tables[model];
    const fields = Object.keys(columns);
    const list = Object.values(columns).map(({ column }) => `"${column}"`);
    const rows = await db.query(`SELECT ${list.join()} FROM "${table}"`, []);
    return rows.map((row) => Object.fromEntries(fields.map((field, index) => [field, row[index]])) as any);
  };
  const of = (rows: any[], by: string) => groupBy(rows, (row) => row[by] as string);
  const variables = of(await read('EnvironmentVariable'), 'componentId');
  const dependencies = of(await read('ComponentDependency'), 'componentId');
  const names = new Map((await read('Component')).map(({ id, serviceName }) => [id, serviceName]));
  const snapshots = of(await read('SnapshotSchedule'), 'volumeId');
  const others: { [model in Model]?: (row: any) => unknown } = {
    // Variables and dependencies have no mutations of their own.
    Component: ({ id }) => [variables.get(id), dependencies.get(id)],
    // Its snapshot schedule counts, but not what has become of the times.
    Volume: ({ id }) => snapshots.get(id)?.map(({ cron, timeZone, keep }) => [cron, timeZone, keep]),
    Port: ({ componentId }) => names.get(componentId),
  };
  const found = new Map<string, Revision>();
  for (const model of revisedModels) {
    const without = new Set([...silentEverywhere, ...(silent[model] ?? [])]);
    for (const row of await read(model)) {
      const own = Object.entries(row).filter(([field]) => !without.has(field));
      const key = (keys[model] ?? ['id']).map((field) => row[field]).join(' ');
      found.set(`${model} ${key}`, {
        revision: row.revision,
        content: JSON.stringify([own, others[model]?.(row)]),
      });
    }
  }
  return found;
}

/** New objects have the revision 1, changed ones a higher one, after `steps` changes, and all others the same as before. */
export function expectCounted(before: Map<string, Revision>, after: Map<string, Revision>, steps = 1): void {
  const revisions: { [object: string]: number } = {};
  const expected: { [object: string]: number } = {};
  for (const [object, { revision, content }] of after) {
    const was = before.get(object);
    revisions[object] = revision;
    expected[object] = was ? was.revision + (was.content === content ? 0 : steps) : 1;
  }
  expect(revisions).toEqual(expected);
}
