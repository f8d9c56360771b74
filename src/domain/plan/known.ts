import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { Reading } from '../../db/write/reading.ts';
import { maySee, sees } from '../../kernel/access.ts';
import { type NameOwner, namesInUse, withAliases } from '../component/names/reads.ts';
import { formatEndpoint, parseEndpoint } from '../gateway-rule/tcp/endpoint-model.ts';
import { isTcpRoute, type ManifestDocument } from './document-model.ts';
import type { KnownCertificate, Scene, UsedEndpoint } from './scene.ts';
import type { Find, Standing } from './standing-reads.ts';

export interface PlanTarget {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

export type Known = Pick<Scene, 'taken' | 'certificates' | 'outside' | 'endpoints'>;

/** The objects outside of the application that a document refers to. */
export async function knownOf(
  write: Reading<Context>,
  find: Find,
  { team, region, namespaceId }: PlanTarget & Pick<Scene, 'namespaceId'>,
  document: ManifestDocument,
  standing: Standing | null,
): Promise<Known> {
  const isOuter = ({ applicationId }: Pick<NameOwner, 'applicationId'>) =>
    applicationId !== standing?.application.id;
  const names = await namesInUse(write, { team, region, namespaceId }, isOuter);
  const entries = Object.values(document.components ?? {});
  const others = await withAliases(
    write,
    { team, region },
    entries.flatMap(({ alias }) => alias ?? []),
  );
  const outer = [...names.clusterNames.values(), ...others].filter((row) => row && isOuter(row));
  const endpoints = (document.routes ?? []).flatMap((route) =>
    isTcpRoute(route) ? parseEndpoint(route.endpoint)!.portNumber : [],
  );
  const rules = await findByKeys(write, 'TcpRule', 'portNumber', [...new Set(endpoints)], ['id'], {
    fields: ['id', 'address', 'portNumber', 'teamId', 'applicationId', 'componentId'],
    where: { field: 'regionId', is: region.id },
  });
  const applicationIds = new Set([
    ...outer.map((row) => row!.applicationId),
    ...rules.map(({ applicationId }) => applicationId),
  ]);
  const applications = await find('Application', 'id', [...applicationIds], ['id', 'name', 'teamId']);
  const nameOf = new Map(applications.map(({ id, name }) => [id, name]));
  const managed = new Set(
    (await find('Manifest', 'applicationId', [...applicationIds], ['applicationId'])).map(
      ({ applicationId }) => applicationId,
    ),
  );
  const { actor } = write.context;
  // The transaction has the rights that were checked before it.
  const isVisible = ({ id, applicationId }: { id: string; applicationId: number }) =>
    !actor.isPartial || sees(actor, { teamId: team.id, applicationId, componentId: id });
  const owner = (row: NameOwner) =>
    isVisible(row) ? nameOfOwner(row) : 'a component that is not visible to you';
  const nameOfOwner = ({ name, applicationId }: NameOwner) =>
    `the component ${name} of the application ${nameOf.get(applicationId)}${managed.has(applicationId) ? ', which has a manifest of its own' : ''}`;
  const inTeam = new Set(applications.filter(({ teamId }) => teamId === team.id).map(({ id }) => id));
  const isShown = (rule: Pick<Row<'TcpRule'>, 'teamId' | 'applicationId' | 'componentId'>) =>
    maySee(actor, { ...rule, enterpriseId: team.enterpriseId });
  const textOfRule = (rule: (typeof rules)[number]) => {
    if (!isShown(rule)) return 'that is not visible to you';
    const at = `on ${formatEndpoint(rule.address, rule.portNumber)}`;
    return inTeam.has(rule.applicationId)
      ? `of the application ${nameOf.get(rule.applicationId)} ${at}`
      : `of another team ${at}`;
  };
  const ownerOf = (row: NameOwner | null) => {
    if (row === null) return 'another component of the document';
    return isOuter(row) ? owner(row) : `the component ${row.name}`;
  };
  return {
    taken: {
      aliases: new Map(others.map((row) => [row.alias, ownerOf(row)])),
      names,
      ownerOf,
    },
    certificates: await certificatesOf(write, team, document),
    outside: await outsideOf(write, { team, region }, document, (row) => isOuter(row) && isVisible(row)),
    endpoints: rules.map((rule): UsedEndpoint => {
      const { id, address, portNumber } = rule;
      return { id, address, portNumber, which: textOfRule(rule) };
    }),
  };
}

/** The components of other applications that the document depends on, by `application/component`. */
async function outsideOf(
  write: Reading<Context>,
  { team, region }: PlanTarget,
  { components }: ManifestDocument,
  isNamed: (row: Pick<NameOwner, 'id' | 'applicationId'>) => boolean,
): Promise<Map<string, string>> {
  const references = Object.values(components ?? {}).flatMap(({ dependsOn }) =>
    (dependsOn ?? []).flatMap((each) => (typeof each === 'string' ? [] : each)),
  );
  const wanted = new Set(references.map(({ application, component }) => `${application}/${component}`));
  const applications = await findByKeys(
    write,
    'Application',
    'name',
    [...new Set(references.map(({ application }) => application))],
    ['id'],
    {
      fields: ['id', 'name'],
      where: [
        { field: 'teamId', is: team.id },
        { field: 'regionId', is: region.id },
      ],
    },
  );
  const nameOf = new Map(applications.map(({ id, name }) => [id, name]));
  const rows = await findByKeys(write, 'Component', 'applicationId', [...nameOf.keys()], ['id'], {
    fields: ['id', 'name', 'applicationId'],
  });
  return new Map(
    rows
      .filter(isNamed)
      .map((row) => [`${nameOf.get(row.applicationId)}/${row.name}`, row.id] as const)
      .filter(([name]) => wanted.has(name)),
  );
}

/** The certificates that routes name, locked until the commit. */
async function certificatesOf(
  write: Reading<Context>,
  team: Row<'Team'>,
  { routes }: ManifestDocument,
): Promise<Map<string, KnownCertificate>> {
  const names = new Set(
    (routes ?? []).flatMap((route) => (isTcpRoute(route) ? [] : (route.certificate ?? []))),
  );
  // Certificates belong to the team.
  const { actor } = write.context;
  const mayName = !actor.isPartial || sees(actor, { teamId: team.id });
  if (names.size === 0 || !mayName) return new Map();
  const find = () =>
    findByKeys(write, 'Certificate', 'name', [...names], ['id'], {
      fields: ['id', 'name', 'names', 'revision'],
      where: { field: 'teamId', is: team.id },
    });
  await lockRows(write, 'Certificate', ...(await find()).map(({ id }) => id));
  return new Map((await find()).map((each) => [each.name, each]));
}
