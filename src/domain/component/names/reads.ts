import { randomBytes } from 'node:crypto';
import type { Context } from '../../../context.ts';
import type { List } from '../../../db/list.ts';
import type { Filter, ListSpec } from '../../../db/query/statement.ts';
import type { Row } from '../../../db/tables.ts';
import { type Bulk, findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { isOtherService, possibleOwnersOf, startsOf } from '../../../drivers/region/object-names.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { memoizeByIdentity } from '../../../kernel/memo.ts';
import { namespaceOfTeam, newNamespace } from '../../application/model.ts';
import { clusterOf } from '../../region/cluster-model.ts';
import { lockTeamRegions } from '../../region/reads.ts';
import { visibleComponents } from '../../team/visible-reads.ts';
import { requireFewVolumes } from '../size/reads.ts';
import { NamedClaims } from './claim-model.ts';
import {
  componentBehind,
  type Gateways,
  gatewayOwners,
  hasClaim,
  isForTeamGateway,
  NamesInUse,
  takenSentence,
} from './model.ts';

export interface NamesPlace {
  team: Pick<Row<'Team'>, 'id'>;
  region: Pick<Row<'Region'>, 'id'>;
}

/** A namespace of a cluster: that of a team in a region, or that of an application. */
export interface Namespace extends NamesPlace, Pick<Row<'Component'>, 'namespaceId'> {
  region: Pick<Row<'Region'>, 'id' | 'cluster'>;
}

const gatewaysIn = ({ region, namespaceId }: Namespace): Gateways => ({
  gatewayClass: clusterOf(region).gatewayClass,
  hasTeamGateway: namespaceId === namespaceOfTeam,
});

type NamesWrite = Pick<Write, 'context' | 'tx'>;

/**
 * Locks the names of the components of a team in a region: until the commit, no other change takes or frees one.
 */
export const lockNames = async (write: Bulk, { team, region }: NamesPlace): Promise<void> =>
  void (await lockTeamRegions(write, team.id, region.id));

/** The columns that say whose a name is. */
const ownerFields = ['id', 'alias', 'name', 'applicationId', 'clusterName', 'serviceName'] as const;
export type NameOwner = Pick<Row<'Component'>, (typeof ownerFields)[number]>;

const inPlace = ({ team, region }: NamesPlace) =>
  [
    { field: 'teamId', is: team.id },
    { field: 'regionId', is: region.id },
  ] as const;

const inNamespace = ({ region, namespaceId }: Pick<NamesPlace, 'region'> & Pick<Namespace, 'namespaceId'>) =>
  [
    { field: 'regionId', is: region.id },
    { field: 'namespaceId', is: namespaceId },
  ] as const;

export const newAlias = () => `gr${randomBytes(3).toString('hex')}`;

/** The components of a team in a region that have one of these aliases. */
export const withAliases = (
  write: Bulk,
  place: NamesPlace,
  aliases: readonly string[],
): Promise<NameOwner[]> =>
  findByKeys(write, 'Component', 'alias', aliases, ['id'], { fields: ownerFields, where: inPlace(place) });

/**
 * Makes aliases for at most so many new components, none of which another component of the team has in the region. They are read one
 * by one, so that a plan stays valid when other components get theirs.
 */
export async function freeAliases(
  write: Bulk & { context: Pick<Context, 'newAlias'> },
  place: NamesPlace,
  count: number,
): Promise<() => string> {
  const { newAlias: make = newAlias } = write.context;
  const made = new Set<string>();
  const free: string[] = [];
  while (free.length < count) {
    const some: string[] = [];
    while (some.length < count - free.length) {
      const alias = make();
      if (!made.has(alias)) some.push(alias);
      made.add(alias);
    }
    const taken = new Set((await withAliases(write, place, some)).map(({ alias }) => alias));
    free.push(...some.filter((alias) => !taken.has(alias)));
  }
  const next = free.values();
  return () => next.next().value!;
}

/**
 * The names of the components in a namespace, except for the service names of some of them. They have to be locked, so that they stay
 * as they are.
 */
export async function namesInUse(
  write: Bulk,
  namespace: Namespace,
  keepsServices: (owner: Row<'Component'>) => boolean = () => true,
): Promise<NamesInUse<NameOwner | null>> {
  const names = new NamesInUse<NameOwner | null>(gatewaysIn(namespace));
  const { team, region, namespaceId } = namespace;
  if (namespaceId === newNamespace) return names;
  const rows = await findByKeys(write, 'Component', 'teamId', [team.id], ['id'], {
    fields: [...ownerFields, 'groupId'],
    where: inNamespace(namespace),
  });
  const { placeholder } = write.context.db.dialect;
  const additional = await write.tx.$read(
    // Few ports have one. SQLite finds them by its index if they are compared and come first, and looks at all ports otherwise.
    `SELECT p.additional_name, p.component_id FROM port p CROSS JOIN component c WHERE c.id = p.component_id AND c.team_id = ${placeholder(1)} AND c.region_id = ${placeholder(2)} AND c.namespace_id = ${placeholder(3)} AND p.additional_name > ''`,
    [team.id, region.id, namespaceId],
  );
  const kept = new Map<string, Row<'Component'>>();
  for (const row of rows) {
    await yieldInTransaction(write.context.signal);
    names.addComponent(row.clusterName, row);
    if (!keepsServices(row)) continue;
    kept.set(row.id, row);
    if (row.serviceName !== null) names.addService(row.serviceName, row);
  }
  for (const [additionalName, componentId] of additional) {
    await yieldInTransaction(write.context.signal);
    const row = kept.get(componentId as string);
    if (row) names.addService(additionalName as string, row);
  }
  return names;
}

/** Whose a name is, for callers who may not see the component. */
const ofAnother = 'another component of the team in this region';

/** CONFLICT if objects of a new component would have the names of others. The names have to be locked. */
export function requireFreeClusterName(names: NamesInUse<unknown>, clusterName: string): void {
  const taken = names.clusterNameTaken(clusterName);
  if (taken)
    throw new ConflictError(`${takenSentence(taken, () => ofAnother)} Choose another \`clusterName\`.`);
}

/** Whether a service name is that of another Service of a component, or of a gateway. */
export async function isReserved(
  { tx }: NamesWrite,
  namespace: Namespace,
  serviceName: string,
): Promise<boolean> {
  const { team, region, namespaceId } = namespace;
  const gateways = gatewaysIn(namespace);
  if (isForTeamGateway(serviceName, gateways)) return true;
  const behind = componentBehind(serviceName);
  const clusterNames = gatewayOwners(serviceName, gateways);
  if (behind !== undefined && isOtherService({ clusterName: behind }, serviceName)) clusterNames.push(behind);
  if (clusterNames.length === 0) return false;
  const where = { teamId: team.id, regionId: region.id, namespaceId, clusterName: { in: clusterNames } };
  return (await tx.component.findFirst({ where, select: { id: true } })) !== null;
}

/** A component with volumes that are new, or get another name in the cluster. */
export interface ClaimingComponent {
  component: Pick<Row<'Component'>, 'id' | 'namespaceId' | 'clusterName' | 'extendMethod'>;
  volumes: readonly { name: string; type: string }[];
}

/** A volume whose claim would have the name of another component's. */
export interface MeetingClaim {
  component: ClaimingComponent['component'];
  volume: string;
  otherId: string;
}

/**
 * The volumes whose claims would have the names of others: names consist of that of the component and that of the volume, so that
 * other parts can make the same. All are of one namespace, and the names have to be locked.
 */
export async function meetingClaims(
  write: Bulk,
  { team, region }: NamesPlace,
  claiming: readonly ClaimingComponent[],
): Promise<MeetingClaim[]> {
  const wanted = claiming.flatMap(({ component, volumes }) =>
    volumes.filter(hasClaim).map((volume) => ({ component, volume })),
  );
  if (wanted.length === 0) return [];
  const { namespaceId } = claiming[0]!.component;
  const rows =
    namespaceId === newNamespace
      ? []
      : await findByKeys(write, 'Component', 'teamId', [team.id], ['id'], {
          fields: ['id', 'namespaceId', 'clusterName', 'extendMethod'],
          where: inNamespace({ region, namespaceId }),
        });
  const claimants = new Map(claiming.map(({ component }) => [component.id, component]));
  const byName = new Map(
    [...rows.filter(({ id }) => !claimants.has(id)), ...claimants.values()].map((row) => [
      row.clusterName,
      row,
    ]),
  );
  const ids = await possibleOwnerIds(write, wanted, byName);
  if (ids.size === 0) return [];
  await requireFewVolumes(write, [...ids]);
  const volumes = await findByKeys(write, 'Volume', 'componentId', [...ids], ['id'], {
    fields: ['componentId', 'name', 'type'],
  });
  const claims = new NamedClaims();
  const byId = new Map([...byName.values()].map((row) => [row.id, row]));
  for (const volume of volumes) {
    if (hasClaim(volume)) claims.add(byId.get(volume.componentId)!, volume);
    await yieldInTransaction(write.context.signal);
  }
  for (const { component, volume } of wanted) claims.add(component, volume);
  const met: MeetingClaim[] = [];
  for (const { component, volume } of wanted) {
    const otherId = claims.meeting(component, volume).find((id) => id !== component.id);
    if (otherId !== undefined) met.push({ component, volume: volume.name, otherId });
    await yieldInTransaction(write.context.signal);
  }
  return met;
}

/** The components whose claims could have the name of one of these. */
async function possibleOwnerIds(
  { context }: Bulk,
  wanted: readonly { component: ClaimingComponent['component']; volume: { name: string } }[],
  byName: ReadonlyMap<string, ClaimingComponent['component']>,
): Promise<Set<string>> {
  const starts = new Set<string>();
  for (const component of byName.values()) for (const start of startsOf(component)) starts.add(start);
  const ids = new Set<string>();
  for (const { component, volume } of wanted) {
    for (const clusterName of possibleOwnersOf(component, volume, (part) => starts.has(part))) {
      const other = byName.get(clusterName);
      if (other && other.id !== component.id) ids.add(other.id);
    }
    await yieldInTransaction(context.signal);
  }
  return ids;
}

/** Says that a volume cannot have its name. */
export const claimTaken = (volume: string) =>
  `The volume ${volume} would have the same name in the cluster as a volume of ${ofAnother}.`;

/** CONFLICT if a claim of new volumes would have the name of another. */
export async function requireFreeClaims(
  write: NamesWrite,
  place: NamesPlace,
  claiming: readonly ClaimingComponent[],
): Promise<void> {
  if (!claiming.some(({ volumes }) => volumes.some(hasClaim))) return;
  await lockNames(write, place);
  const [met] = await meetingClaims(write, place, claiming);
  if (met) throw new ConflictError(`${claimTaken(met.volume)} Choose another \`name\` for it.`);
}

/** The components of a region that cannot be deployed, because older ones have their names in the cluster. */
export const duplicatesIn = ({ actor }: Pick<Context, 'actor'>, regionId: string): List<'Component'> => ({
  key: regionId,
  spec: duplicatesVisibleTo(visibleComponents(actor)),
});

const duplicatesVisibleTo = memoizeByIdentity(
  (visible: Filter<'Component'>[]): ListSpec<'Component'> => ({
    model: 'Component',
    parent: { field: 'regionId' },
    order: ['name', 'id'],
    where: [...visible, { field: 'ownedClusterName', is: null }],
  }),
);

/** How many duplicates a line of the log names. */
const maxLogged = 20;

/** Logs which components have names in the cluster that older ones have: a database of an earlier version can have such. */
export async function logDuplicates({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  const rows = await db.query(
    `SELECT id, cluster_name FROM component WHERE owned_cluster_name IS NULL ORDER BY id LIMIT ${maxLogged + 1}`,
    [],
  );
  if (rows.length === 0) return;
  const components = rows.slice(0, maxLogged).map(([id, clusterName]) => ({ id, clusterName }));
  log.warn(
    { components, hasMore: rows.length > maxLogged },
    'components cannot be deployed, because older ones have their names in the cluster: see Region.duplicateComponents',
  );
}
