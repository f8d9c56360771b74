import { randomBytes, randomUUID } from 'node:crypto';
import type { Context } from '../../src/context.ts';
import type { Model, Row } from '../../src/db/tables.ts';
import { change, type Write } from '../../src/db/write/change.ts';
import type { EventAction } from '../../src/db/write/events.ts';
import { hashToken } from '../../src/domain/access-token/reads.ts';
import { insertToken } from '../../src/domain/access-token/rows.ts';
import { namespaceIdOf } from '../../src/domain/application/model.ts';
import { insertApplication } from '../../src/domain/application/rows.ts';
import { insertComponent } from '../../src/domain/component/rows.ts';
import { defaultAlias } from '../../src/domain/port/model.ts';
import { insertPort } from '../../src/domain/port/rows.ts';
import { insertRegion, insertTeamRegion } from '../../src/domain/region/rows.ts';
import { insertMember, insertTeam } from '../../src/domain/team/rows.ts';
import { insertUser } from '../../src/domain/user/rows.ts';
import { createLoaders } from '../../src/kernel/batch.ts';
import { rightsOf } from '../../src/kernel/rights.ts';
import { fold } from '../../src/kernel/validate.ts';
import type { Client } from './trellis.ts';

/**
 * Writes what tests need around what they are about. The first object of a kind is made over the API; the others are
 * written like it by the same `rows.ts`, with their events, and without the work of a request for each.
 */

/** A name that nothing else in the database has. */
export const unique = (prefix: string) => `${prefix}-${randomBytes(4).toString('hex')}`;

const newId = () => randomUUID().replaceAll('-', '');

export type Firsts = { [M in Model]?: Row<M> };
const firsts = new WeakMap<Client, Firsts>();

/** The first objects that were made over the API. A Trellis in another process has only its API. */
export function firstsOf(client: Client): Firsts {
  const found = firsts.get(client) ?? {};
  firsts.set(client, found);
  return found;
}

export async function keepFirst(client: Client, model: Model, id: string | number): Promise<void> {
  if (!client.services) return;
  const name = `${model[0]!.toLowerCase()}${model.slice(1)}` as 'team';
  const [row] = await client.services.db[name].findManyByKeys({ by: 'id', keys: [id as string] });
  Object.assign(firstsOf(client), { [model]: row });
}

/** One transaction as the user of the administrator's token. */
export async function directly<T>(client: Client, work: (write: Write<Context>) => Promise<T>): Promise<T> {
  const { services } = client;
  const keys = [hashToken(client.adminToken)];
  const [token] = await services.db.accessToken.findManyByKeys({ by: 'hash', keys });
  const [user] = await services.db.user.findManyByKeys({ by: 'id', keys: [token!.userId!] });
  const actor = {
    userId: user!.id,
    serviceAccountId: null,
    tokenId: token!.id,
    sessionId: null,
    enterpriseId: user!.enterpriseId,
    isReadOnly: false,
    ...rightsOf({ isAdministrator: user!.isAdministrator, teams: [] }, null),
  };
  const context = { ...services, actor, requestId: randomUUID(), loaders: createLoaders() } as Context;
  return change(context, 'team.create', work);
}

/** The same transaction, with another action for the events. */
const as = (write: Write<Context>, action: EventAction): Write<Context> => ({
  ...write,
  recordEvent: (event) => write.recordEvent({ action, ...event }),
});

export const writeTeam = (write: Write<Context>, name: string): Promise<Row<'Team'>> => {
  const { enterpriseId, userId } = write.context.actor;
  return insertTeam(write, { enterpriseId, name, alias: `The team ${name}`, creatorId: userId }, userId!);
};

/** A region with the settings of the first, opened for a team. */
export async function writeRegion(
  write: Write<Context>,
  { id: _, revision, createdAt, folded, ...first }: Row<'Region'>,
  teamId: string,
): Promise<Row<'Region'>> {
  const name = unique('region');
  const named = JSON.parse(JSON.stringify(first).replaceAll(first.name, name)) as typeof first;
  const region = await insertRegion(as(write, 'region.create'), named);
  await insertTeamRegion(as(write, 'team.open_region'), {
    teamId,
    regionId: region.id,
    cpuQuotaMillicores: 0,
    memoryQuotaMiB: 0,
  });
  return region;
}

export const writeApplication = (
  write: Write<Context>,
  first: Row<'Application'>,
  place: { teamId: string; regionId: string },
): Promise<Row<'Application'>> =>
  insertApplication(as(write, 'application.create'), {
    ...place,
    name: unique('app'),
    note: first.note,
    principal: first.principal,
    governanceMode: first.governanceMode,
    orderIndex: first.orderIndex,
    isDefault: first.isDefault,
    logo: first.logo,
  });

export function writeComponent(
  write: Write<Context>,
  first: Row<'Component'>,
  application: Pick<Row<'Application'>, 'id' | 'teamId' | 'regionId' | 'isolation'>,
): Promise<Row<'Component'>> {
  const { id: applicationId, teamId, regionId } = application;
  const [alias, now] = [unique('web'), new Date()];
  const own = { id: newId(), applicationId, teamId, regionId, key: newId(), alias, name: alias };
  const times = { createdAt: now, updatedAt: now, folded: fold(alias, alias) };
  const parts = { variables: [], volumes: [], dependencies: [] };
  const namespaceId = namespaceIdOf(application);
  const data = { ...first, ...own, namespaceId, clusterName: alias, ...times };
  return insertComponent(as(write, 'component.create'), data, parts);
}

/** The first port of a new component, whose inner domain it gets. */
export async function writePort(
  write: Write<Context>,
  component: Row<'Component'>,
  number: number,
): Promise<Row<'Port'>> {
  const { id: componentId, alias: serviceName } = component;
  const alias = defaultAlias(serviceName, number);
  const data = { componentId, number, protocol: 'http', alias, isInner: false, createdAt: new Date() };
  await write.tx.component.update({ where: { id: componentId }, data: { serviceName, revision: 2 } });
  return insertPort(as(write, 'port.add'), component, data, serviceName);
}

/** A user with a token and, if they are a member of a team, their role in it. */
export async function writePerson(
  write: Write<Context>,
  secret: string,
  {
    member,
    isAdministrator = false,
  }: { member?: { teamId: string; role: string }; isAdministrator?: boolean } = {},
): Promise<Row<'User'>> {
  const email = `${unique('user')}@trellis.example`;
  const { enterpriseId } = write.context.actor;
  const createdAt = new Date();
  const who = { enterpriseId, email, nickName: email.split('@')[0]!, isAdministrator, createdAt };
  const user = await insertUser(as(write, 'user.create'), who);
  await insertToken(
    as(write, 'access_token.create'),
    { userId: user.id, name: 'test', secret, createdAt },
    null,
  );
  if (member)
    await insertMember(as(write, 'team.add_member'), {
      ...member,
      roleId: null,
      applications: null,
      isFromGroup: false,
      userId: user.id,
    });
  return user;
}
