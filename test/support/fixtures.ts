import type { Row } from '../../src/db/tables.ts';
import { newToken } from '../../src/domain/access-token/operations.ts';
import { hashToken } from '../../src/domain/access-token/reads.ts';
import { insertSession } from '../../src/domain/session/rows.ts';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { fold } from '../../src/kernel/validate.ts';
import {
  directly,
  firstsOf,
  keepFirst,
  unique,
  writeApplication,
  writeComponent,
  writePerson,
  writePort,
  writeRegion,
  writeTeam,
} from './scenery.ts';
import type { Client } from './trellis.ts';

export { unique };

/** The payload of the one mutation of a document; a typed error makes it throw. */
async function succeed(client: Client, mutation: string, input: object, selection: string, token?: string) {
  const title = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
  const result = await attempt(client, mutation, input, selection, token);
  if (result.__typename !== `${title}Payload`) throw new Error(`${mutation}: ${JSON.stringify(result)}`);
  return result;
}

/** The result of the one mutation of a document, payload or typed error. */
async function attempt(
  client: Client,
  mutation: string,
  input: object,
  selection = '__typename',
  token?: string,
) {
  const title = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
  const data = await client.data(
    `mutation M($input: ${title}Input!) {
      ${mutation}(input: $input) {
        __typename
        ... on ${title}Payload { ${selection} }
        ... on Error { code message }
        ... on InvalidInputError { issues { path message } }
      }
    }`,
    { input },
    token,
  );
  return data[mutation];
}

export interface Person {
  userId: number;
  email: string;
  token: string;
}

/** A user of its own, with a token. */
async function createPerson(client: Client, options: { isAdministrator?: boolean } = {}): Promise<Person> {
  if (client.services) return newPerson(client, options);
  const email = `${unique('user')}@trellis.example`;
  const { user } = await succeed(
    client,
    'createUser',
    { email, nickName: email.split('@')[0], ...options },
    'user { uid }',
  );
  const { secret } = await succeed(client, 'createAccessToken', { name: 'test', user: { email } }, 'secret');
  return { userId: user.uid, email, token: secret };
}

async function newPerson(client: Client, given: Parameters<typeof writePerson>[2]): Promise<Person> {
  const token = newToken();
  const user = await directly(client, (write) => writePerson(write, token, given));
  return { userId: user.id, email: user.email, token };
}

/** Another enterprise, with an administrator and a token of its own: no operation creates one. */
async function createEnterprise(
  client: Client,
): Promise<{ enterpriseId: string; name: string; administrator: Person }> {
  const [enterpriseId, name, secret] = [unique('enterprise'), unique('enterprise'), newToken()];
  const email = `${unique('administrator')}@trellis.example`;
  const userId = await client.services.db.transaction(async (tx) => {
    const createdAt = new Date();
    await tx.enterprise.create({ data: { id: enterpriseId, name, alias: name, createdAt } });
    const who = { email, nickName: name, isAdministrator: true, folded: fold(email, name) };
    const user = await tx.user.create({ data: { enterpriseId, ...who, createdAt } });
    const token = { id: unique('token'), userId: user.id, name: 'first', hash: hashToken(secret), createdAt };
    await tx.accessToken.create({ data: token });
    return user.id;
  });
  return { enterpriseId, name, administrator: { userId, email, token: secret } };
}

const teamOf = ({ id, name }: Row<'Team'>) => ({ teamId: id, name, id: encodeGlobalId('Team', id) });

async function createTeam(
  client: Client,
  name = unique('team'),
): Promise<{ teamId: string; name: string; id: string }> {
  const { team } = await succeed(
    client,
    'createTeam',
    { name, alias: `The team ${name}` },
    'team { id uid name }',
  );
  return { teamId: team.uid, name: team.name, id: team.id };
}

/** A new member of the team, in this role. */
async function createMember(client: Client, teamId: string, role: string): Promise<Person> {
  if (client.services) return newPerson(client, { member: { teamId, role: role.toLowerCase() } });
  const person = await createPerson(client);
  await succeed(
    client,
    'addTeamMember',
    { team: { teamId }, user: { userId: person.userId }, role },
    'member { role }',
  );
  return person;
}

async function createRegion(
  client: Client,
  options: object = {},
): Promise<{ regionId: string; name: string; id: string }> {
  const name = unique('region');
  const { region } = await succeed(
    client,
    'createRegion',
    {
      name,
      url: `https://${name}.example:8443`,
      websocketUrl: `wss://${name}.example:6060`,
      httpDomain: `${name}.apps.example`,
      tcpDomain: `${name}.tcp.example`,
      ...options,
    },
    'region { id uid name }',
  );
  return { regionId: region.uid, name: region.name, id: region.id };
}

export interface Place {
  team: { teamId: string; name: string; id: string };
  region: { regionId: string; name: string; id: string };
}

const placeOf = (team: Row<'Team'>, { id, name }: Row<'Region'>): Place => ({
  team: teamOf(team),
  region: { regionId: id, name, id: encodeGlobalId('Region', id) },
});

/** The references to a place in an input. */
export const refsOf = ({ team, region }: Place) => ({
  team: { teamId: team.teamId },
  region: { regionId: region.regionId },
});

/** A team, and a region that is opened for it. */
async function createPlace(client: Client): Promise<Place> {
  const { Region: first } = firstsOf(client);
  if (first) {
    return directly(client, async (write) => {
      const team = await writeTeam(write, unique('team'));
      return placeOf(team, await writeRegion(write, first, team.id));
    });
  }
  const [team, region] = [await createTeam(client), await createRegion(client)];
  await succeed(
    client,
    'openTeamRegion',
    { team: { teamId: team.teamId }, region: { regionId: region.regionId } },
    'team { uid }',
  );
  await keepFirst(client, 'Region', region.regionId);
  return { team, region };
}

const applicationOf = ({ id, name }: Row<'Application'>) => ({
  appId: id,
  id: encodeGlobalId('Application', id),
  name,
});

async function createApplication(
  client: Client,
  place: Place,
  name?: string,
  given: { isolation?: 'OWN' | 'TEAM' } = {},
): Promise<{ appId: number; id: string; name: string }> {
  const { Application: first } = firstsOf(client);
  const [{ teamId }, { regionId }] = [place.team, place.region];
  if (first && name === undefined) {
    return applicationOf(
      await directly(client, (write) => writeApplication(write, first, { teamId, regionId })),
    );
  }
  const { application } = await succeed(
    client,
    'createApplication',
    { team: { teamId }, region: { regionId }, name: name ?? unique('app'), ...given },
    'application { id appId: uid name }',
  );
  if (!first && name === undefined) await keepFirst(client, 'Application', application.appId);
  return application;
}

const componentOf = ({ id, alias }: Row<'Component'>) => ({
  componentId: id,
  id: encodeGlobalId('Component', id),
  alias,
});

async function createComponent(
  client: Client,
  appId: number,
  options?: object,
): Promise<{ componentId: string; id: string; alias: string }> {
  const { Component: first } = firstsOf(client);
  if (first && !options) {
    const [application] = await client.services.db.application.findManyByKeys({ by: 'id', keys: [appId] });
    return componentOf(await directly(client, (write) => writeComponent(write, first, application!)));
  }
  const alias = unique('web');
  const { component } = await succeed(
    client,
    'createComponent',
    { application: { appId }, name: alias, alias, image: 'nginx:1.29', ...options },
    'component { id uid alias }',
  );
  if (!first && !options) await keepFirst(client, 'Component', component.uid);
  return { componentId: component.uid, id: component.id, alias: component.alias };
}

async function addPort(client: Client, componentId: string, number: number, options: object = {}) {
  const { port } = await succeed(
    client,
    'addPort',
    { component: { componentId }, number, protocol: 'HTTP', ...options },
    'port { id number alias isInner isOuter serviceName protocol }',
  );
  return port as {
    id: string;
    number: number;
    alias: string;
    isInner: boolean;
    isOuter: boolean;
    serviceName: string;
  };
}

/** A place with an application, a component and a port in it. */
async function createAll(client: Client) {
  const { Region, Application, Component } = firstsOf(client);
  if (Region && Application && Component) {
    return directly(client, async (write) => {
      const team = await writeTeam(write, unique('team'));
      const region = await writeRegion(write, Region, team.id);
      const place = { teamId: team.id, regionId: region.id };
      const application = await writeApplication(write, Application, place);
      const component = await writeComponent(write, Component, application);
      const { id, number, alias, isInner, isOuter } = await writePort(write, component, 8080);
      return {
        ...placeOf(team, region),
        application: applicationOf(application),
        component: componentOf(component),
        port: {
          id: encodeGlobalId('Port', id),
          number,
          alias,
          isInner,
          isOuter,
          serviceName: component.alias,
        },
      };
    });
  }
  const place = await createPlace(client);
  const application = await createApplication(client, place);
  const component = await createComponent(client, application.appId);
  const port = await addPort(client, component.componentId, 8080);
  return { ...place, application, component, port };
}

/** A session of a user, the administrator unless told otherwise, as a sign-in begins it. Its secret is not known. */
async function createSession(client: Client, userId?: number): Promise<string> {
  const id = unique('session');
  await directly(client, (write) => {
    const now = new Date();
    const times = { createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + 3_600_000) };
    const owner = userId ?? write.context.actor.userId!;
    return insertSession(write, { id, userId: owner, ...times, address: '192.0.2.7', browser: 'Firefox' });
  });
  return id;
}

/** The objects of `createAll`. */
export type All = Awaited<ReturnType<typeof createAll>>;
export type NewEnterprise = Awaited<ReturnType<typeof createEnterprise>>;

const builders = {
  addPort,
  attempt,
  createAll,
  createApplication,
  createComponent,
  createEnterprise,
  createMember,
  createPerson,
  createPlace,
  createRegion,
  createSession,
  createTeam,
  succeed,
};

type Method<F> = F extends (client: Client, ...args: infer A) => infer R ? (...args: A) => R : never;

/** Makes what tests need over a client, in its database where it has one. */
export type Builder = { [K in keyof typeof builders]: Method<(typeof builders)[K]> };

export function withBuilder<C extends Client>(client: C): C & Builder {
  const methods = Object.entries(builders).map(([name, build]) => [
    name,
    (...args: unknown[]) => (build as (...args: unknown[]) => unknown)(client, ...args),
  ]);
  return { ...client, ...Object.fromEntries(methods) };
}
