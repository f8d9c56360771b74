import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Person } from '../../../support/fixtures.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { createClusterPlace } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';
import { type SentItem, type Subscription, subscribe } from '../../../support/subscribe.ts';

const { trellis, server } = useClusterWorld({ jobs: {} });
let teamId: string;
let appId: number;
let component: { componentId: string };
let developer: Person;
let viewer: Person;
let namespace: string;
let regionName: string;

beforeAll(async () => {
  const place = await createClusterPlace(trellis, server, { token: 'platform' });
  ({ appId, namespace, teamId } = place);
  regionName = place.region.name;
  [component, developer, viewer] = await Promise.all([
    running('web', 2),
    trellis.createMember(teamId, 'DEVELOPER'),
    trellis.createMember(teamId, 'VIEWER'),
  ]);
});

/** A component with instances that run. */
async function running(alias: string, replicas = 1): Promise<{ componentId: string }> {
  const input = { application: { appId }, name: alias, alias, image: 'nginx:1.29', replicas };
  const made = await trellis.succeed('createComponent', { ...input, deploy: true }, 'component { uid }');
  const found = { componentId: made.component.uid as string };
  const ready = async () => (await instances(found)).filter(({ isReady }) => isReady).length;
  await vi.waitUntil(async () => (await ready()) === replicas, { timeout: 90_000, interval: 20 });
  return found;
}

async function read(field: string, of = component, token = developer.token): Promise<any> {
  const query = `query($by: ComponentRef!) { component(by: $by) { found: ${field} } }`;
  const { data, errors } = await trellis.graphql(query, { by: of }, token);
  return errors ? errors[0]!.extensions.code : data.component.found;
}
/** None if the cluster was too slow to answer, as it can be at first. */
async function instances(of = component): Promise<{ name: string; isReady: boolean }[]> {
  const found = await read('instances { name isReady }', of, trellis.adminToken);
  return Array.isArray(found) ? found : [];
}
const names = async (of = component) => (await instances(of)).map(({ name }) => name);
const logs = (args: string, of = component, token = developer.token) =>
  read(`logs(${args}) { isTruncated lines { instance container text } }`, of, token);
const texts = async (args: string, of = component): Promise<string[]> =>
  (await logs(args, of)).lines.map(({ text }: { text: string }) => text);
const write = (name: string, text: string) => server.cluster.logs.write({ namespace, name }, text);

/** How many requests for logs or events the cluster gets. */
async function calls(ofKind: string, work: () => Promise<unknown>): Promise<number> {
  const handled = vi.spyOn(server.cluster, 'handle');
  try {
    await work();
    return handled.mock.calls.filter(([{ path }]) => path.includes(`/${ofKind}?`)).length;
  } finally {
    handled.mockRestore();
  }
}

describe('Component.logs', () => {
  it('has the last lines of all instances by time, or those of one', async () => {
    const [one, two] = await names();
    for (const number of [1, 3, 5]) {
      write(one!, `line ${number}`);
      write(two!, `line ${number + 1}`);
    }
    expect(await logs('tail: 3')).toEqual({
      isTruncated: false,
      lines: [
        { instance: two, container: 'main', text: 'line 4' },
        { instance: one, container: 'main', text: 'line 5' },
        { instance: two, container: 'main', text: 'line 6' },
      ],
    });
    expect(await texts(`instance: "${one}", container: "main"`)).toEqual(['line 1', 'line 3', 'line 5']);
    const { lines } = await read('logs(tail: 2) { lines { at } }');
    expect(await texts(`since: "${lines[1].at}"`)).toContain('line 6');
    expect(await texts('since: "2100-01-01T00:00:00Z"')).toEqual([]);
  });

  it('is bounded in lines and bytes', async () => {
    const own = await running('large');
    const [name] = await names(own);
    for (const text of ['x'.repeat(40_000), '', 'ends\r']) write(name!, text);
    const [long, empty, ends] = await texts('tail: 3', own);
    expect([long!.length, empty, ends]).toEqual([16_384, '', 'ends']);
    for (let line = 0; line < 40; line++) write(name!, `${line} ${'y'.repeat(16_000)}`);
    const { isTruncated, lines } = await logs('tail: 1000', own);
    expect(isTruncated).toBe(true);
    expect(lines.length).toBeLessThan(40);
    expect(lines.at(-1).text).toMatch(/^39 /);
    const many = Array.from(
      { length: 21 },
      (_, index) => `l${index}: logs(tail: ${index + 1}) { isTruncated }`,
    );
    expect(await read(`uid ${many.join(' ')}`, own)).toBe('LIMIT_EXCEEDED');
    const same = Array.from({ length: 50 }, (_, index) => `l${index}: logs(tail: 1) { isTruncated }`);
    expect(await calls('log', () => read(`uid ${same.join(' ')}`, own))).toBe(1);
  });

  it('is for developers, and tells what is not there', async () => {
    expect(await logs('tail: 1', component, viewer.token)).toBe('FORBIDDEN');
    const [name] = await names(await running('other'));
    for (const [args, code] of [
      [`instance: "${name}"`, 'NOT_FOUND'],
      ['container: "unknown"', 'NOT_FOUND'],
      ['tail: 0', 'INVALID_INPUT'],
      ['tail: 1001', 'INVALID_INPUT'],
      ['instance: "../../secrets"', 'INVALID_INPUT'],
      ['container: "a&follow=true"', 'INVALID_INPUT'],
    ]) {
      expect(await logs(args!), args).toBe(code);
    }
    const { team, region } = await trellis.createPlace();
    const declared = await trellis.createApplication({ team, region });
    const of = await trellis.createComponent(declared.appId, { deploy: true });
    const by = { componentId: of.componentId };
    const nothing = { isTruncated: false, lines: [] };
    expect(await read('logs { isTruncated lines { text } }', by, trellis.adminToken)).toEqual(nothing);
    const following = await follow({ of: by, token: trellis.adminToken });
    expect(code(await following.next())).toBe('CONFLICT');
    expect(await read('instances { name }', by, trellis.adminToken)).toEqual([]);
    expect(await read('clusterEvents { reason }', by, trellis.adminToken)).toEqual([]);
    expect(await trellis.attempt('deleteInstance', { component: by, instance: 'a' })).toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('tells that the account of the region has no right', async () => {
    const { users } = server.cluster;
    users.set('platform', platform('pods/log', 'events'));
    try {
      expect(await logs('tail: 1')).toBe('REGION_UNAVAILABLE');
      expect(await read('clusterEvents { reason }')).toBe('REGION_UNAVAILABLE');
      const following = await follow();
      expect(await following.next()).toMatchObject({
        data: { errors: [{ message: expect.stringContaining('cannot get resource "pods/log"') }] },
      });
      const rights = 'rights { verb resource isAllowed }';
      const { checkRegion } = await trellis.data(
        `{ checkRegion(region: { name: "${regionName}" }) { ${rights} } }`,
      );
      const missing = checkRegion.rights.filter((right: any) => !right.isAllowed);
      expect(missing.map(({ verb, resource }: any) => `${verb} ${resource}`)).toEqual([
        'get pods/log',
        'list events',
      ]);
    } finally {
      users.set('platform', platform());
    }
  });
});

const document = `subscription Logs($component: ComponentRef!, $instance: String, $tail: Int) {
  componentLogs(component: $component, instance: $instance, tail: $tail) { lines { instance text } } }`;

const follow = ({
  of = component,
  token = developer.token,
  lastEventId,
  ...variables
}: any = {}): Promise<Subscription> =>
  subscribe(trellis, document, { token, lastEventId, variables: { component: of, ...variables } });

/** The lines of the next items until there are all of these texts, and the id of the last item. */
async function until(subscription: Subscription, ...texts: string[]) {
  const found: string[] = [];
  for (;;) {
    const item = (await subscription.next()) as SentItem;
    if (!item?.data?.data) throw new Error(`no lines: ${JSON.stringify([found, item])}`);
    found.push(...item.data.data.componentLogs.lines.map((line: { text: string }) => line.text));
    if (texts.every((text) => found.includes(text))) return { found, id: item.id };
  }
}
const code = (item: SentItem | undefined) => item?.data?.errors?.[0]?.extensions.code;

describe('componentLogs', () => {
  it('has lines as they are written, and goes on where it was left', async () => {
    const own = await running('followed', 2);
    const [one, two] = await names(own);
    write(one!, 'before');
    const subscription = await follow({ of: own });
    expect((await until(subscription, 'before')).found).toEqual(['before']);
    write(two!, 'live');
    const { id } = await until(subscription, 'live');
    subscription.close();
    // The cluster is no longer asked for lines that nobody reads.
    const followers = () =>
      [one, two].map((name) => server.cluster.logs.followers({ namespace, name: name! }));
    await expect.poll(followers, { timeout: 60_000 }).toEqual([0, 0]);
    write(one!, 'missed 1');
    write(two!, 'missed 2');
    const again = await follow({ of: own, lastEventId: id });
    const { found } = await until(again, 'missed 1', 'missed 2');
    expect(found.sort()).toEqual(['missed 1', 'missed 2']);
    again.close();
    expect(code(await (await follow({ of: own, lastEventId: 'x@y' })).next())).toBe('INVALID_INPUT');
  });

  it('follows an instance that replaces another, and ends with the instance it was asked for', async () => {
    const own = await running('replaced');
    const [name] = await names(own);
    write(name!, 'first');
    const [all, single] = await Promise.all([follow({ of: own }), follow({ of: own, instance: name })]);
    await Promise.all([until(all, 'first'), until(single, 'first')]);
    await trellis.succeed(
      'deleteInstance',
      { component: own, instance: name },
      '__typename',
      developer.token,
    );
    expect((await single.next())?.event).toBe('complete');
    const next = async () => (await instances(own)).find((each) => each.isReady && each.name !== name)?.name;
    await expect.poll(next, { timeout: 60_000 }).toBeDefined();
    write((await next())!, 'second');
    expect((await until(all, 'second')).found).toEqual(['second']);
    // Without the component, there is nothing to follow.
    const removal = { component: own, force: true };
    await trellis.succeed('deleteComponent', removal, '__typename', developer.token);
    expect((await all.next())?.event).toBe('complete');
  });

  it('is for developers as long as they are', async () => {
    expect(code(await (await follow({ token: viewer.token })).next())).toBe('FORBIDDEN');
    const person = await trellis.createMember(teamId, 'DEVELOPER');
    const subscription = await follow({ token: person.token, tail: 1 });
    expect(code(await subscription.next())).toBeUndefined();
    const role = { team: { teamId }, user: { userId: person.userId }, role: 'VIEWER' };
    await trellis.succeed('changeTeamMemberRole', role, '__typename');
    // Nothing is written meanwhile, but the line of the other instance can be an item of its own.
    const next = async () => code(await subscription.next());
    expect((await next()) ?? (await next())).toBe('FORBIDDEN');
    const outsider = await trellis.createMember((await trellis.createTeam()).teamId, 'OWNER');
    expect(code(await (await follow({ token: outsider.token })).next())).toBe('NOT_FOUND');
    expect(code(await (await follow({ instance: 'nothing' })).next())).toBe('NOT_FOUND');
  });

  it('sends a client that reads slowly many lines at once', async () => {
    const own = await running('chatty');
    const [name] = await names(own);
    const subscription = await follow({ of: own });
    await expect
      .poll(() => server.cluster.logs.followers({ namespace, name: name! }), { timeout: 60_000 })
      .toBe(1);
    for (let line = 0; line < 5_000; line++) write(name!, `${line} ${'z'.repeat(200)}`);
    write(name!, 'last');
    const { found } = await until(subscription, 'last');
    expect(found.length).toBe(5_001);
    subscription.close();
  });
});

describe('log subscriptions', () => {
  it('of one user or team leave room for others', async () => {
    const own = await running('wide', 5);
    for (const name of await names(own)) write(name, 'there');
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map(() => trellis.createMember(teamId, 'DEVELOPER')),
    );
    const firstOf = async ({ token }: Person) => {
      const subscription = await follow({ of: own, token });
      return { subscription, code: code(await subscription.next()) };
    };
    const all = (person: Person) => Promise.all(Array.from({ length: 10 }, () => firstOf(person)));
    // Each follows five instances.
    const open = await all(one!);
    expect(open.map((each) => each.code)).toEqual(Array(10).fill(undefined));
    const refused = await (await follow({ of: own, token: one!.token })).next();
    expect(refused?.data?.errors).toMatchObject([
      { message: expect.stringContaining('50 instances'), extensions: { code: 'LIMIT_EXCEEDED' } },
    ]);
    open.push(...(await all(two!)));
    expect(open.map((each) => each.code)).toEqual(Array(20).fill(undefined));
    expect((await firstOf(three!)).code).toBe('LIMIT_EXCEEDED');
    // Logs are read all the same, and there is room when a subscription ends.
    expect((await texts('tail: 1', own)).length).toBe(1);
    for (const { subscription } of open) subscription.close();
    const retried = async () => {
      const { subscription, code } = await firstOf(three!);
      subscription.close();
      return code;
    };
    await expect.poll(retried, { timeout: 60_000 }).toBeUndefined();
  });
});

describe('Component.clusterEvents', () => {
  it('asks the cluster once for a request, and for few components', async () => {
    const aliases = Array.from({ length: 400 }, (_, index) => `e${index}: clusterEvents { reason }`);
    expect(await calls('events', () => read(`uid ${aliases.join(' ')}`))).toBe(1);
    const created = Array.from({ length: 21 }, (_, index) =>
      trellis.succeed(
        'createComponent',
        { application: { appId }, name: `many${index}`, alias: `many${index}`, image: 'nginx:1.29' },
        'component { uid }',
      ),
    );
    const uids = (await Promise.all(created)).map(({ component: { uid } }) => uid);
    const query = uids.map(
      (uid, index) => `c${index}: component(by: { componentId: "${uid}" }) { clusterEvents { reason } }`,
    );
    const { errors } = await trellis.graphql(`{ ${query.join(' ')} }`, {}, developer.token);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['LIMIT_EXCEEDED']);
  });

  it('has what the cluster tells of the component, and nothing of others', async () => {
    const own = await running('told');
    const [name] = await names(own);
    const { store } = server.cluster;
    const pod = store.get(kindNamed('Pod'), namespace, name!)!.object;
    const tell = (id: number, of: object, reason: string, lastTimestamp: string) =>
      store.put('Event', {
        metadata: { name: `e${id}`, namespace },
        involvedObject: { namespace, ...of },
        ...{ reason, message: `${reason} it`, type: id === 1 ? 'Warning' : 'Normal', count: id },
        ...{ firstTimestamp: '2036-01-01T00:00:00Z', lastTimestamp },
      });
    const uid = { uid: pod.metadata.uid };
    tell(1, { kind: 'Pod', name, ...uid }, 'BackOff', '2036-01-01T00:00:03Z');
    tell(2, { kind: 'Pod', name: 'told-5f6c9d8b7-x2zk8' }, 'Killing', '2036-01-01T00:00:02Z');
    tell(3, { kind: 'ReplicaSet', name: 'told-5f6c9d8b7' }, 'SuccessfulCreate', '2036-01-01T00:00:01Z');
    tell(4, { kind: 'Pod', name: 'told-other-5f6c9d8b7-x2zk8' }, 'Killing', '2036-01-01T00:00:04Z');
    // Of a component that had the name before.
    tell(5, { kind: 'Pod', name: 'told-6f6c9d8b7-x2zk8' }, 'Killing', '2026-01-01T00:00:04Z');
    const fields = 'isWarning reason message count firstAt lastAt objectKind objectName';
    const found = await read(`clusterEvents { ${fields} }`, own);
    expect(found.map((each: any) => each.count)).toEqual([1, 2, 3]);
    expect(found[0]).toEqual({
      ...{ isWarning: true, reason: 'BackOff', message: 'BackOff it', count: 1 },
      ...{ firstAt: '2036-01-01T00:00:00.000Z', lastAt: '2036-01-01T00:00:03.000Z' },
      ...{ objectKind: 'Pod', objectName: name },
    });
    expect(await read('clusterEvents { reason }', own, viewer.token)).toBe('FORBIDDEN');
  });
});

describe('deleteInstance', () => {
  it('has the cluster make a new one, and is recorded', async () => {
    const own = await running('deleted', 2);
    const [name, other] = await names(own);
    const input = { component: own, instance: name };
    const remove = (more: object = {}) =>
      trellis.attempt('deleteInstance', { ...input, ...more }, 'plan { action name }', developer.token);
    const plan = [{ action: 'instance.delete', name }];
    expect(await remove({ dryRun: true })).toMatchObject({ plan });
    expect(await names(own)).toEqual([name, other]);
    expect(await remove()).toMatchObject({ plan });
    const left = async () => {
      const all = await instances(own);
      const ready = all.filter(({ isReady }) => isReady).map((each) => each.name);
      // One that ends is still there, and could be deleted again.
      const isGone = !all.some((each) => each.name === name);
      return { count: ready.length, isGone, isKept: ready.includes(other!) };
    };
    await expect.poll(left, { timeout: 60_000 }).toEqual({ count: 2, isGone: true, isKept: true });
    expect(await remove()).toMatchObject({ code: 'NOT_FOUND' });
    expect(await remove({ instance: (await names())[0] })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await remove({ instance: 'A' })).toMatchObject({ code: 'INVALID_INPUT' });
    const filter = `action: "instance.delete", objectUid: "${own.componentId}"`;
    const query = `{ team(by: { teamId: "${teamId}" }) { events(${filter}) { nodes { changes { field after: newValue } user { email } } } } }`;
    expect((await trellis.data(query)).team.events.nodes).toEqual([
      { changes: [{ field: 'instance', after: name }], user: { email: developer.email } },
    ]);
  });
});
