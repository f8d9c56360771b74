import type { Context } from '../../context.ts';
import { fieldsOf } from '../../db/query/decode.ts';
import type { Field, Model, Part, Row } from '../../db/tables.ts';
import { type Bulk, findByKeys } from '../../db/write/bulk.ts';
import { sees } from '../../kernel/access.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { groupBy } from '../../kernel/group.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { StandingSchedule } from '../component/snapshots/schedule/rows.ts';
import { openVariable, type PlainVariable } from '../component/variables/reads.ts';
import { requireFewObjects } from './size-reads.ts';

/** Reads the rows whose field is one of the keys. */
export type Find = <M extends Model, F extends Field<M> = Field<M>>(
  model: M,
  by: Field<M>,
  keys: readonly (string | number)[],
  fields?: readonly F[],
) => Promise<Part<M, F>[]>;

/** As the transaction of a change sees them. */
export const findWithin =
  (write: Bulk): Find =>
  (model, by, keys, fields) =>
    findByKeys(write, model, by, keys, [by], fields && { fields }) as Promise<never>;

/** A component as it stands, with everything that a manifest describes. */
export interface StandingComponent {
  row: Row<'Component'>;
  ports: Row<'Port'>[];
  variables: Row<'EnvironmentVariable'>[];
  volumes: Row<'Volume'>[];
  /** The snapshot schedules of volumes, by the ids of the volumes. */
  snapshotSchedules: ReadonlyMap<number, StandingSchedule>;
  schedules: Row<'Schedule'>[];
  dependencies: Row<'ComponentDependency'>[];
  http: Row<'HttpRule'>[];
  tcp: Row<'TcpRule'>[];
}

/** A component of another application. */
interface OutsideComponent {
  id: string;
  applicationId: number;
  application: string;
  component: string;
}

export interface Standing {
  application: Row<'Application'>;
  manifest: Row<'Manifest'> | null;
  /** Sorted by name. Of those with one name, the one that a manifest means comes first. */
  components: StandingComponent[];
  /** The names of the installed templates, by the ids of their groups. */
  groups: ReadonlyMap<number, string>;
  /** The components of other applications that components depend on, by id. In a plan, those that the actor may see. */
  outside: ReadonlyMap<string, OutsideComponent>;
  /** The names of the certificates of HTTP rules, by id. */
  certificates: ReadonlyMap<number, string>;
}

const componentOf = (row: { componentId: string }) => row.componentId;
const byText =
  <T>(of: (item: T) => string) =>
  (one: T, other: T) =>
    of(one) < of(other) ? -1 : of(one) > of(other) ? 1 : 0;

/**
 * Reads applications with everything in them. The number of statements does not depend on how many there are. `withFiles`
 * returns the components whose files are read as well, which can be large. `given` are the components to read instead of all.
 */
export async function standingOf(
  reads: Bulk,
  applications: readonly Row<'Application'>[],
  withFiles: (componentIds: string[]) => Promise<string[]>,
  given?: Row<'Component'>[],
): Promise<Map<number, Standing>> {
  const find = findWithin(reads);
  const ids = applications.map(({ id }) => id);
  const rows = given ?? (await find('Component', 'applicationId', ids));
  const componentIds = rows.map(({ id }) => id);
  await requireFewObjects(reads, componentIds);
  const ports = groupBy(await find('Port', 'componentId', componentIds), componentOf);
  const variables = groupBy(await find('EnvironmentVariable', 'componentId', componentIds), componentOf);
  const allVolumes = await volumesOf(find, componentIds, await withFiles(componentIds));
  const volumes = groupBy(allVolumes, componentOf);
  const snapshotSchedules = await snapshotSchedulesOf(find, allVolumes);
  const schedules = groupBy(await find('Schedule', 'componentId', componentIds), componentOf);
  const dependencies = await find('ComponentDependency', 'componentId', componentIds);
  const dependenciesOf = groupBy(dependencies, componentOf);
  const http = await find('HttpRule', 'componentId', componentIds);
  const httpOf = groupBy(http, componentOf);
  const tcp = groupBy(await find('TcpRule', 'componentId', componentIds), componentOf);
  const manifests = new Map(
    (await find('Manifest', 'applicationId', ids)).map((manifest) => [manifest.applicationId, manifest]),
  );
  const hasGroups = rows.some(({ groupId }) => groupId !== null);
  const groups = hasGroups ? await find('ComponentGroup', 'applicationId', ids, ['id', 'name']) : [];
  const certificateIds = [...new Set(http.flatMap(({ certificateId }) => certificateId ?? []))];
  const certificates = new Map(
    (await find('Certificate', 'id', certificateIds, ['id', 'name'])).map(({ id, name }) => [id, name]),
  );
  const outside = await outsideOf(find, dependencies, rows);
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]));
  const rowsOf = groupBy(rows, ({ applicationId }) => applicationId);
  return new Map(
    applications.map((application) => {
      const manifest = manifests.get(application.id) ?? null;
      const components = (rowsOf.get(application.id) ?? []).sort(byPreference(manifest)).map((row) => ({
        row,
        ports: (ports.get(row.id) ?? []).sort((one, other) => one.number - other.number),
        variables: (variables.get(row.id) ?? []).sort(byText(({ scope, name }) => `${scope} ${name}`)),
        volumes: (volumes.get(row.id) ?? []).sort(byText(({ name }) => name)),
        snapshotSchedules,
        schedules: (schedules.get(row.id) ?? []).sort(byText(({ name }) => name)),
        dependencies: (dependenciesOf.get(row.id) ?? []).sort(byText(({ dependencyId }) => dependencyId)),
        http: (httpOf.get(row.id) ?? []).sort((one, other) => one.id - other.id),
        tcp: (tcp.get(row.id) ?? []).sort((one, other) => one.id - other.id),
      }));
      return [
        application.id,
        { application, manifest, components, groups: groupNames, outside, certificates },
      ];
    }),
  );
}

/** The variables of components with their values decrypted, by the ids of their components. */
export async function plainVariablesOf(
  { seal, signal }: Pick<Context, 'seal' | 'signal'>,
  components: readonly Pick<StandingComponent, 'variables'>[],
): Promise<Map<string, PlainVariable[]>> {
  const rows = components.flatMap(({ variables }) => variables);
  return groupBy(await mapInSlices(rows, (row) => openVariable(seal, row), signal), componentOf);
}

async function volumesOf(find: Find, ids: string[], withFiles: string[]): Promise<Row<'Volume'>[]> {
  const isWithFiles = new Set(withFiles);
  const others = ids.filter((id) => !isWithFiles.has(id));
  const fields = fieldsOf('Volume').filter((field) => field !== 'fileContent');
  const rows = await find('Volume', 'componentId', others, fields);
  return [
    ...(await find('Volume', 'componentId', withFiles)),
    ...rows.map((row) => ({ ...row, fileContent: '' })),
  ];
}

const snapshotScheduleColumns = ['id', 'volumeId', 'cron', 'timeZone', 'keep'] as const;

async function snapshotSchedulesOf(
  find: Find,
  volumes: readonly Row<'Volume'>[],
): Promise<Map<number, StandingSchedule>> {
  const ids = volumes.map(({ id }) => id);
  const rows = await find('SnapshotSchedule', 'volumeId', ids, snapshotScheduleColumns);
  return new Map(rows.map((row) => [row.volumeId, row]));
}

/** By name. Of those with one name, first the one that belongs to the manifest, then the oldest. */
const byPreference = (manifest: Row<'Manifest'> | null) => {
  const isOwn = ({ manifestId }: Row<'Component'>) => manifest !== null && manifestId === manifest.id;
  const byName = byText(({ name }: Row<'Component'>) => name);
  const byId = byText(({ id }: Row<'Component'>) => id);
  return (one: Row<'Component'>, other: Row<'Component'>) =>
    byName(one, other) ||
    Number(isOwn(other)) - Number(isOwn(one)) ||
    one.createdAt.getTime() - other.createdAt.getTime() ||
    byId(one, other);
};

async function outsideOf(
  find: Find,
  dependencies: readonly Row<'ComponentDependency'>[],
  rows: readonly Row<'Component'>[],
): Promise<Map<string, OutsideComponent>> {
  const applicationOf = new Map(rows.map(({ id, applicationId }) => [id, applicationId]));
  const missing = dependencies.filter(
    ({ componentId, dependencyId }) => applicationOf.get(dependencyId) !== applicationOf.get(componentId),
  );
  const ids = [...new Set(missing.map(({ dependencyId }) => dependencyId))];
  const found = await find('Component', 'id', ids, ['id', 'name', 'applicationId']);
  const applicationIds = [...new Set(found.map(({ applicationId }) => applicationId))];
  const applications = new Map(
    (await find('Application', 'id', applicationIds, ['id', 'name'])).map(({ id, name }) => [id, name]),
  );
  return new Map(
    found.map(({ id, name, applicationId }) => [
      id,
      { id, applicationId, application: applications.get(applicationId)!, component: name },
    ]),
  );
}

/** Whether the actor may see a component of another application that one of this application depends on. */
export const seesOutside = (
  { actor }: Pick<Context, 'actor'>,
  { application: { teamId } }: Pick<Standing, 'application'>,
  { id: componentId, applicationId }: OutsideComponent,
): boolean => !actor.isPartial || sees(actor, { teamId, applicationId, componentId });

/** The application without the names of components that the actor may not see. Dependencies on them stay as they are. */
export const withVisibleOutside = (context: Pick<Context, 'actor'>, standing: Standing): Standing => ({
  ...standing,
  outside: new Map([...standing.outside].filter(([, each]) => seesOutside(context, standing, each))),
});

/** The components of an application by name and by id, of which a document can name hundreds. */
const indexOf = memoizeByIdentity((components: Standing['components']) => ({
  byName: groupBy(components, ({ row }) => row.name),
  byId: new Map(components.map((each) => [each.row.id, each])),
}));

type Components = Pick<Standing, 'components'>;

/** The components with a name. The first one is the one that the name means. */
export const componentsNamed = ({ components }: Components, name: string): readonly StandingComponent[] =>
  indexOf(components).byName.get(name) ?? [];

export const componentNamed = (standing: Components, name: string): StandingComponent | undefined =>
  componentsNamed(standing, name)[0];

export const componentWithId = ({ components }: Components, id: string): StandingComponent | undefined =>
  indexOf(components).byId.get(id);
