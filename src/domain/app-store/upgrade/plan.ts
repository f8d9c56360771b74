import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { groupBy } from '../../../kernel/group.ts';
import { inSlices } from '../../../kernel/slices.ts';
import { compareVersions } from '../../../kernel/version.ts';
import { openVariable } from '../../component/variables.ts';
import { additionalNamesIn, serviceNamesOf } from '../inner-names.ts';
import type { CreatedComponents, GroupWrite } from '../install/components.ts';
import type { Installed } from '../merge/input.ts';
import { type BaseTemplate, type GroupMerge, mergeTemplate } from '../merge/merge.ts';

export interface UpgradePlan {
  group: Row<'ComponentGroup'>;
  /** The installed template. */
  base: BaseTemplate;
  /** Null if the group already has the version. */
  merge: GroupMerge | null;
}

type PlanReads = Pick<GroupWrite, 'context' | 'tx' | 'team' | 'region'>;

/** Plans the upgrade of a group to a version, inside the transaction that carries it out. */
export async function planOf(
  write: PlanReads,
  groupId: number,
  next: AppTemplate,
  version: string,
): Promise<UpgradePlan> {
  const { context, tx, team, region } = write;
  const group = await tx.componentGroup.findUnique({ where: { id: groupId } });
  if (!group) throw new NotFoundError('installed template');
  // Another group of the same template may already have the version.
  const base = JSON.parse(context.seal.open(group.sealedTemplate!)) as BaseTemplate;
  if (compareVersions(group.templateVersion ?? '', version) >= 0) return { group, base, merge: null };
  const named = await findByKeys(write, 'Component', 'teamId', [team.id], ['id'], {
    fields: ['serviceName', 'groupId'],
    where: { field: 'regionId', is: region.id },
  });
  const taken = [
    ...named.flatMap((row) => (row.groupId === groupId ? [] : (row.serviceName ?? []))),
    ...(await additionalNamesIn(write, groupId)),
  ];
  const installed = await installedIn(write, groupId);
  return { group, base, merge: await inSlices(mergeTemplate(base, next, installed, taken), context.signal) };
}

async function installedIn(write: PlanReads, groupId: number): Promise<Installed[]> {
  const rows = await findByKeys(write, 'Component', 'groupId', [groupId], ['name', 'id']);
  const ids = rows.map(({ id }) => id);
  const componentOf = (row: { componentId: string }) => row.componentId;
  const ports = groupBy(await findByKeys(write, 'Port', 'componentId', ids, ['number']), componentOf);
  const variables = groupBy(
    (await findByKeys(write, 'EnvironmentVariable', 'componentId', ids, ['id'])).map((row) =>
      openVariable(write.context.seal, row),
    ),
    componentOf,
  );
  const volumes = groupBy(await findByKeys(write, 'Volume', 'componentId', ids, ['id']), componentOf);
  const dependencies = groupBy(
    await findByKeys(write, 'ComponentDependency', 'componentId', ids, ['componentId', 'dependencyId']),
    componentOf,
  );
  const rules = { fields: ['portId', 'isDefault'] as const };
  const custom = [
    ...(await findByKeys(write, 'HttpRule', 'componentId', ids, ['id'], rules)),
    ...(await findByKeys(write, 'TcpRule', 'componentId', ids, ['id'], rules)),
  ].filter(({ isDefault }) => !isDefault);
  const portsWithCustomRules = new Set(custom.map(({ portId }) => portId));
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  return rows.map((row) => ({
    row,
    ports: ports.get(row.id) ?? [],
    variables: variables.get(row.id) ?? [],
    volumes: volumes.get(row.id) ?? [],
    dependencies: (dependencies.get(row.id) ?? []).flatMap(
      ({ dependencyId }) => keys.get(dependencyId) ?? [],
    ),
    portsWithCustomRules,
  }));
}

/**
 * The base of the next upgrade. It keeps removed components, because they can be added again; their ports
 * that were closed are opened again in that case.
 */
export function nextBase(
  base: BaseTemplate,
  merge: GroupMerge,
  next: AppTemplate,
  added: CreatedComponents,
): BaseTemplate {
  const keys = new Set(next.components.map(({ key }) => key));
  const closed = new Map(merge.close.map(({ row, ports }) => [row.key, ports]));
  const dropped = base.components.filter(({ key }) => !keys.has(key));
  const isClosed = (key: string, number: number) =>
    closed.get(key)?.some((port) => port.number === number && port.isOuter) ?? false;
  return {
    ...next,
    components: [
      ...next.components,
      ...dropped.map((each) => ({
        ...each,
        ports: each.ports.map((port) =>
          isClosed(each.key, port.number) ? { ...port, isOuter: false } : port,
        ),
      })),
    ],
    serviceNames: {
      ...base.serviceNames,
      ...serviceNamesOf(added.created),
      ...Object.fromEntries(
        merge.merges.flatMap(({ row, serviceName }) =>
          serviceName === null ? [] : [[row.key, serviceName]],
        ),
      ),
    },
    additionalNames: {
      ...base.additionalNames,
      ...added.additionalNames,
      ...Object.fromEntries(merge.merges.map(({ row, additionalNames }) => [row.key, additionalNames])),
    },
  };
}
