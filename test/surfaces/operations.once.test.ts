import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allActions, enumName } from '../../src/kernel/actions.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { type Callers, createCallers } from '../support/callers.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { everyRead, type ReadCase } from '../support/every-read.ts';
import { type All, unique } from '../support/fixtures.ts';
import { givenAway } from '../support/given-away.ts';
import { connectMcp, type Mcp } from '../support/mcp.ts';
import { operationNamed, operations, rootOf } from '../support/operations.ts';
import { callRest } from '../support/operations-rest.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { useTrellis } from '../support/trellis.ts';

const changes = operations.filter(({ isChange }) => isChange);
const reads = operations.filter(({ isChange }) => !isChange);

let all: All;
let every: Record<string, ChangeCase>;
let everyReadCase: Record<string, ReadCase>;
let registry: RegistryServer;
let people: Callers['people'];
/** What the limited caller may change. */
let own: Pick<typeof all, 'application' | 'component'>;

/** The limited one is a developer of the team, in another application alone. */
type Caller = 'administrator' | 'viewer' | 'outsider' | 'reader' | 'limited';
const tokens = {} as Record<Caller, string>;
const assistants = {} as Record<Caller, Mcp>;

const trellis = useTrellis();
beforeAll(async () => {
  registry = await startRegistry();
  all = await trellis.createAll();
  every = await everyChange(trellis, all);
  everyReadCase = await everyRead(trellis, all, registry, every);
  ({ people } = await createCallers(trellis, all.team.teamId));
  const reader = await trellis.succeed('createAccessToken', { name: 'reading', isReadOnly: true }, 'secret');
  const application = await trellis.createApplication(all);
  const component = await trellis.createComponent(application.appId, { deploy: true });
  await trellis.addPort(component.componentId, 8080);
  own = { application, component };
  const limited = await trellis.createPerson();
  const applications = [{ appId: application.appId }];
  const member = {
    team: { id: all.team.id },
    user: { email: limited.email },
    role: 'DEVELOPER',
    applications,
  };
  await trellis.succeed('addTeamMember', member, '__typename');
  Object.assign(tokens, {
    limited: limited.token,
    administrator: trellis.adminToken,
    viewer: people.viewer.token,
    outsider: people.outsider.token,
    reader: reader.secret,
  });
  for (const [name, token] of Object.entries(tokens))
    assistants[name as Caller] = await connectMcp(trellis, token);
});
afterAll(async () => {
  for (const client of Object.values(assistants)) await client.close();
  await registry?.close();
});

/** What a caller gets on an interface: the value of the root field, or the code of the refusal. */
type Outcome = { value: any } | { code: string };

/** All that was answered since the list was emptied. */
const answered: string[] = [];

async function overRest(operation: Operation, given: object, token: string): Promise<Outcome> {
  const { status, body, text } = await callRest(trellis, operation, given, { token });
  answered.push(text);
  return status === 200 ? { value: body } : { code: body.code };
}

async function overGraphql(operation: Operation, given: object, token: string): Promise<Outcome> {
  const { query, takesInput, isChange } = operation;
  const variables = takesInput ? { input: given } : given;
  const { data, errors } = await trellis.graphql(query, variables, token);
  answered.push(JSON.stringify({ data, errors }));
  const value = data?.[rootOf(operation)];
  // Nothing could be read.
  if (isNothing(value)) return { code: errors![0]!.extensions.code };
  if (!isChange) return { value };
  const { __typename, ...payload } = value;
  return __typename.endsWith('Payload') ? { value: payload } : { code: payload.code };
}

const isNothing = (value: any): boolean =>
  value == null || (countOfKeys(value) === 1 && isNothing(Object.values(value)[0]));
const countOfKeys = (value: any) =>
  typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).length : 0;

/** As every assistant can call it: only some operations are tools of their own. */
async function overMcp(operation: Operation, given: object, caller: Caller): Promise<Outcome> {
  const { name, isChange } = operation;
  const answer = await assistants[caller].call('call_operation', { name, arguments: given });
  answered.push(answer.text);
  if (answer.isError) return { code: /^\w+/.exec(answer.text)![0] };
  return { value: isChange ? answer.value : answer.value[rootOf(operation)] };
}

/** The same on all interfaces. Values are those of REST, as they would be compared. */
async function everywhere(
  operation: Operation,
  given: object,
  caller: Caller,
  comparable: (outcome: Outcome) => Outcome = (outcome) => outcome,
): Promise<Outcome> {
  const rest = comparable(await overRest(operation, given, tokens[caller]));
  const graphql = comparable(await overGraphql(operation, given, tokens[caller]));
  expect({ name: operation.name, caller, ...graphql }).toEqual({ name: operation.name, caller, ...rest });
  if (operation.noTool) return rest;
  const mcp = comparable(await overMcp(operation, given, caller));
  const expected = JSON.parse(JSON.stringify(rest, withoutSecrets));
  expect({ name: operation.name, caller, ...mcp }).toEqual({ name: operation.name, caller, ...expected });
  return rest;
}

/** Each plan takes numbers and aliases for what it would create, which nothing gets again. */
const withoutNumbers = (outcome: Outcome): Outcome =>
  JSON.parse(
    JSON.stringify(outcome, (key, value) => {
      const [, type] =
        /^(\w+):\d+$/.exec(key === 'id' ? Buffer.from(String(value), 'base64url').toString() : '') ?? [];
      return type ?? (typeof value === 'string' ? value.replace(/\bgr[0-9a-f]{6}\b/g, 'gr') : value);
    }),
  );

/** What changes while a component runs, by key: what it writes, and what it uses. */
const moving = new Set(['at', 'text', 'lastAt', 'measuredAt', 'cpuMillicores', 'memoryMiB']);

const readsOfMoving = ['read_logs', 'get_component_usage'];

const withoutTimes = (outcome: Outcome): Outcome =>
  JSON.parse(JSON.stringify(outcome, (key, value) => (moving.has(key) ? typeof value : value)));

/** Models do not see the values of secret variables. */
const withoutSecrets = (_: string, value: any) =>
  value?.isSecret === true && 'value' in value ? { ...value, value: '[redacted]' } : value;

/** What the limited caller gets, on all interfaces. None names what is hidden, unless the request has. */
async function asLimited(operation: Operation, given: object): Promise<Outcome> {
  answered.length = 0;
  const outcome = await everywhere(operation, given, 'limited');
  const { application, component } = all;
  const hidden = [application.name, application.id, component.id, component.componentId, component.alias];
  const sent = JSON.stringify(given);
  for (const name of hidden) {
    const found = answered.filter((text) => text.includes(name) && !sent.includes(name));
    expect([operation.name, name, found]).toEqual([operation.name, name, []]);
  }
  return outcome;
}

/** The arguments that name what is in an application. */
const inApplication = ['application', 'component', 'release', 'run', 'schedule', 'job', 'port', 'id'];

describe('an operation that reads', () => {
  it('has a call here', () => {
    expect(Object.keys(everyReadCase).sort()).toEqual(reads.map(({ name }) => name).sort());
  });

  it.each(reads)('$path returns what GraphQL does, and refuses whom GraphQL refuses', async (operation) => {
    const { given, has, outsider = 'NOT_FOUND' } = everyReadCase[operation.name]!;
    const comparable = readsOfMoving.includes(operation.name) ? withoutTimes : undefined;
    const answer = await everywhere(operation, given, 'administrator', comparable);
    expect(answer).toEqual({ value: expect.anything() });
    expect(JSON.stringify(answer).replaceAll('\\', '')).toContain(has.replaceAll('\\', ''));
    // A token that cannot change anything reads the same.
    expect(Object.keys(await overRest(operation, given, tokens.reader))).toEqual(['value']);
    const refused = await everywhere(operation, given, 'outsider');
    if (outsider === 'ok') expect(Object.keys(refused)).toEqual(['value']);
    else expect(refused).toEqual({ code: outsider });

    const limited = await asLimited(operation, given);
    expect(JSON.stringify(limited)).not.toContain('read-shop');
    if (inApplication.some((name) => name in given))
      expect([operation.name, limited]).toEqual([operation.name, { code: 'NOT_FOUND' }]);
  });
});

/** Runs with a token of the administrator that is limited to actions. */
async function withToken<T>(actions: Iterable<string>, run: (token: string) => Promise<T>): Promise<T> {
  const input = { name: 'narrow', grants: [{ actions: [...actions].map(enumName) }] };
  const { secret, accessToken } = await trellis.succeed(
    'createAccessToken',
    input,
    'secret accessToken { tokenId: uid }',
  );
  return run(secret).finally(() =>
    trellis.succeed('revokeAccessToken', { token: { tokenId: accessToken.tokenId } }, '__typename'),
  );
}

/** Everybody can create a token. */
const forEverybody = new Set(['create_access_token']);
/** What others may not even know of is refused as everything of the enterprise is. */
const refusals: Record<'viewer' | 'outsider', string[]> = {
  viewer: ['FORBIDDEN', 'NOT_FOUND'],
  outsider: ['NOT_FOUND', 'FORBIDDEN'],
};

describe('an operation that changes something', () => {
  it.each(changes)('$path does what the mutation does, and refuses whom it refuses', async (operation) => {
    const mutation = rootOf(operation);
    const { input, inTeam } = every[mutation]!;
    const given = await input();
    const before = await trellis.counts();
    if (!forEverybody.has(operation.name))
      for (const caller of ['viewer', 'outsider'] as const) {
        const refused = await everywhere(operation, given, caller);
        const [usual, ...others] = refusals[caller];
        expect([caller, refused]).toEqual([
          caller,
          { code: expect.toBeOneOf(inTeam ? [usual] : [usual, ...others]) },
        ]);
      }
    if (!forEverybody.has(operation.name)) {
      const limited = await asLimited(operation, given);
      expect([operation.name, limited]).toEqual([
        operation.name,
        { code: expect.toBeOneOf(['NOT_FOUND', 'FORBIDDEN']) },
      ]);
    }
    expect(await overRest(operation, given, tokens.reader)).toEqual({ code: 'FORBIDDEN' });
    if (operation.takesDryRun) {
      const planned = await everywhere(operation, { ...given, dryRun: true }, 'reader', withoutNumbers);
      expect([operation.name, planned]).toEqual([operation.name, { value: expect.anything() }]);
    }
    expect(await trellis.counts()).toEqual(before);

    // What a token has to allow is the same for every mutation, on all interfaces. Here are those that need more than one.
    const others = givenAway[mutation];
    if (others) {
      const refused = await withToken(
        [...allActions].filter((each) => each !== mutation),
        (token) => overRest(operation, given, token),
      );
      expect(refused).toEqual({ code: 'FORBIDDEN' });
    }
    const make = (token: string) => overRest(operation, given, token);
    const made = others ? await withToken([mutation, ...others], make) : await make(tokens.administrator);
    expect([operation.name, made]).toEqual([operation.name, { value: expect.anything() }]);
    expect((made as { value: any }).value.__typename).toBeUndefined();
  });
});

/** Changes whose inputs name two objects of applications, of which one is hidden. */
const besideHidden: Record<string, () => object[]> = {
  add_dependency: () => [{ component: own.component, dependency: all.component }],
  create_access_token: () => [
    { name: 'x', grants: [{ actions: ['READ'], application: all.application }] },
    { name: 'x', grants: [{ actions: ['READ'], component: all.component }] },
  ],
  create_component: () => [
    { application: own.application, name: 'x', image: 'x:1', dependencies: [all.component] },
  ],
  create_http_rule: () =>
    pairs().map((pair) => ({ ...pair, portNumber: 8080, domain: `${unique('x')}.example` })),
  create_tcp_rule: () => pairs().map((pair) => ({ ...pair, portNumber: 8080, endpoint: '10.0.0.1:31000' })),
  delete_dependency: () => [{ component: own.component, dependency: all.component }],
  promote_release: () => [
    { release: { at: { component: all.component, number: 1 } }, to: own.application },
    { release: { at: { component: own.component, number: 1 } }, to: all.application },
  ],
};
const pairs = () => [
  { application: own.application, component: all.component },
  { application: all.application, component: own.component },
];
/** With the ids of objects alone. */
const byId = (given: object): object =>
  JSON.parse(JSON.stringify(given, (_, value) => (value?.id ? { id: value.id } : value)));

describe('an operation that changes what the caller may change', () => {
  it.each(Object.keys(besideHidden))('finds nothing hidden that it names beside it: %s', async (name) => {
    const operation = operationNamed(name);
    for (const given of besideHidden[name]!()) {
      const outcome = await asLimited(operation, byId(given));
      expect([given, outcome]).toEqual([given, { code: 'NOT_FOUND' }]);
    }
  });
});
