import type { GraphQLInputObjectType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import type { Transaction } from '../../src/db/open.ts';
import { portHooks } from '../../src/domain/port/hooks.ts';
import { groupBy } from '../../src/kernel/group.ts';
import { expectConsistent } from '../support/invariants.ts';
import { type Random, randomOf } from '../support/random.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const seed = Number(process.env.ISOLATION_SEED ?? 7);
const clients = 16;

let trellis: Trellis;
let random: Random;
const injected = () => new Error('injected');

/** A change of one thing. Its mark is the id of its request, and is written to the thing that it changes. */
interface Change {
  mutation: string;
  input: object;
  /** The action of its one event. */
  action: string;
}

/** Whether an answer says that the change was made. Undefined where there was none that says so. */
type Outcome = 'made' | 'not made' | undefined;

/** Ends transactions in every way that they can end, and sends a statement after the end of some. */
function disturb({ services: { db } }: Trellis): { end(): void; late: Promise<boolean>[] } {
  const { transaction } = db;
  const late: Promise<boolean>[] = [];
  const sendLate = (tx: Transaction) => {
    const write: () => PromiseLike<unknown> = random.chance(0.5)
      ? () => tx.team.updateMany({ data: { alias: 'late' } })
      : () => tx.$write("UPDATE team SET alias = 'late'", []);
    late.push(
      // Waits on time: a late statement may come at any moment after the end of its transaction.
      new Promise((resolve) => setTimeout(resolve, random.below(5))).then(write).then(
        () => true,
        () => false,
      ),
    );
  };
  db.transaction = async (work, signal, statements) => {
    // Transactions without a signal belong to no request.
    if (!signal) return transaction(work, signal, statements);
    const timeLimit = random.chance(0.1) ? AbortSignal.timeout(random.below(30)) : undefined;
    const [fails, isLate] = [random.chance(0.1), random.chance(0.3)];
    return transaction(
      async (tx) => {
        try {
          const result = await work(tx);
          if (fails) throw injected();
          return result;
        } finally {
          if (isLate) sendLate(tx);
        }
      },
      timeLimit ? AbortSignal.any([signal, timeLimit]) : signal,
      statements,
    );
  };
  const hook = async () => {
    if (random.chance(0.1)) throw injected();
  };
  const hooks = { opening: hook, closing: hook, protocolChanging: hook, deleting: hook };
  portHooks.push(hooks);
  const end = () => {
    db.transaction = transaction;
    portHooks.splice(portHooks.indexOf(hooks), 1);
  };
  return { end, late };
}

/** What is chosen from, which no change removes. */
async function createThings() {
  const all = await trellis.createAll();
  const components = [all.component];
  for (let count = 0; count < 3; count++) {
    components.push(await trellis.createComponent(all.application.appId));
  }
  const ports: { id: string }[] = [all.port];
  for (const { componentId } of components) {
    for (const number of [1, 2]) {
      const input = { component: { componentId }, number, protocol: 'HTTP' };
      const { port } = await trellis.attempt('addPort', input, 'port { id }');
      ports.push(port);
    }
  }
  return { ...all, components, ports };
}

function nextChange(things: Awaited<ReturnType<typeof createThings>>, mark: string): Change {
  const { componentId } = random.pick(things.components);
  const component = { componentId };
  const port = { id: random.pick(things.ports).id };
  const application = { appId: things.application.appId };
  const number = 100 + random.below(40);
  return random.pick<() => Change>([
    () => ({
      mutation: 'updateTeam',
      input: { team: { teamId: things.team.teamId }, alias: mark },
      action: 'team.update',
    }),
    () => ({ mutation: 'updateComponent', input: { component, name: mark }, action: 'component.update' }),
    () => ({
      mutation: 'setVariables',
      input: { component, set: [{ name: 'MARK', value: mark }] },
      action: 'component.set_variables',
    }),
    () => ({
      mutation: 'changePortAlias',
      input: { port, alias: mark.toUpperCase().replaceAll('-', '_') },
      action: 'port.change_alias',
    }),
    () => ({
      mutation: 'addPort',
      input: { component, number, protocol: 'TCP', alias: mark.toUpperCase().replaceAll('-', '_') },
      action: 'port.add',
    }),
    () => ({ mutation: 'deletePort', input: { port: { at: { component, number } } }, action: 'port.delete' }),
    () => ({
      mutation: 'createHttpRule',
      input: {
        application,
        component,
        portNumber: random.pick([1, 2]),
        domain: `${mark}.example`,
        opensPort: true,
      },
      action: 'http_rule.create',
    }),
    () => ({
      mutation: 'createComponent',
      input: { application, name: mark, alias: mark, image: 'nginx:1.29' },
      action: 'component.create',
    }),
  ])();
}

async function send({ mutation, input }: Change, mark: string): Promise<Outcome> {
  const title = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
  const { dryRun } = (schema.getType(`${title}Input`) as GraphQLInputObjectType).getFields();
  const isDryRun = dryRun !== undefined && random.chance(0.15);
  const query = `mutation($input: ${title}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code message } } }`;
  const response = await fetch(`${trellis.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${trellis.adminToken}`,
      'Content-Type': 'application/json',
      'X-Request-Id': mark,
    },
    body: JSON.stringify({
      query,
      variables: { input: { ...input, ...(isDryRun && { dryRun: true }) } },
    }),
    ...(random.chance(0.15) && { signal: AbortSignal.timeout(random.below(25)) }),
  }).catch(() => undefined);
  const body = await response?.json().catch(() => undefined);
  if (body === undefined) return undefined;
  const { data, errors } = body as {
    data?: { result: { __typename: string; code?: string } | null };
    errors?: any[];
  };
  const code = data?.result?.code ?? errors?.[0]?.extensions?.code;
  if (code === undefined) return isDryRun ? 'not made' : 'made';
  expect(['CONFLICT', 'NOT_FOUND', 'INTERNAL', 'UNAVAILABLE'], JSON.stringify(body)).toContain(code);
  // A commit can be under way when the time limit ends.
  return code === 'UNAVAILABLE' || code === 'INTERNAL' ? undefined : 'not made';
}

interface Recorded {
  requestId: string;
  action: string;
  subject: string;
  changes: Record<string, unknown>;
}

/** Changes of many clients, whose transactions end in every way that they can end. */
export function isolation(requests: number): void {
  beforeAll(async () => {
    // Fewer connections than clients, so that transactions follow each other on them.
    trellis = await startTrellis({ database: { poolSize: 3 } });
  });
  afterAll(() => trellis?.close());

  it(`keeps ${requests} changes in their own transactions`, {
    timeout: Math.max(240_000, requests * 120),
  }, async () => {
    random = randomOf(seed);
    const things = await createThings();
    const { db } = trellis.services;
    const before = Number((await db.query('SELECT max(id) FROM event', []))[0]![0]);
    const [[revisionBefore]] = (await db.query(
      `SELECT revision FROM team WHERE id = '${things.team.teamId}'`,
      [],
    )) as [[number]];

    const { end, late } = disturb(trellis);
    const sent = new Map<string, { change: Change; outcome: Outcome }>();
    const work = async () => {
      while (sent.size < requests) {
        const mark = `m${sent.size}-${seed}`;
        const change = nextChange(things, mark);
        sent.set(mark, { change, outcome: undefined });
        sent.get(mark)!.outcome = await send(change, mark);
      }
    };
    await Promise.all(Array.from({ length: clients }, work)).finally(end);
    // What clients have left is still under way for a moment: a last change waits for it.
    expect((await Promise.all(late)).filter((isWritten) => isWritten)).toEqual([]);
    for (const { componentId } of things.components) {
      await trellis.attempt('updateComponent', { component: { componentId }, description: 'last' });
    }

    const rows = await db.query(
      `SELECT request_id, action, subject_type, subject_id, changes FROM event WHERE id > ${before} ORDER BY id`,
      [],
    );
    const recorded = rows.map(
      ([requestId, action, type, id, changes]): Recorded => ({
        requestId: String(requestId),
        action: String(action),
        subject: `${type} ${id}`,
        changes: JSON.parse(String(changes)),
      }),
    );
    const byRequest = groupBy(recorded, ({ requestId }) => requestId);
    const eventsOf = (mark: string, action: string) =>
      (byRequest.get(mark) ?? []).filter((event) => event.action === action).length;
    const outcomes = { made: 0, 'not made': 0, unknown: 0 };
    for (const [mark, { change, outcome }] of sent) {
      outcomes[outcome ?? 'unknown']++;
      const count = eventsOf(mark, change.action);
      if (outcome === 'made') expect(count, `${change.mutation} ${mark}`).toBe(1);
      else if (outcome === 'not made')
        expect(byRequest.get(mark), `${change.mutation} ${mark}`).toBeUndefined();
      else expect(count, `${change.mutation} ${mark}`).toBeLessThanOrEqual(1);
    }
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(requests / 20);

    // Every mark that is found belongs to a change that was recorded, and it is the last one of its object.
    const after = (changes: Record<string, unknown>, field: string) => (changes[field] as unknown[])?.[1];
    const lastOf = (action: string, subject: string, field: string) =>
      recorded
        .filter((event) => event.action === action && event.subject === subject)
        .map(({ changes }) => after(changes, field))
        .at(-1);
    const { teamId } = things.team;
    const [[alias, revision]] = (await db.query(
      `SELECT alias, revision FROM team WHERE id = '${teamId}'`,
      [],
    )) as [[string, number]];
    expect(alias).toBe(lastOf('team.update', `Team ${teamId}`, 'alias'));
    const renamed = recorded.filter(({ action }) => action === 'team.update');
    expect(Number(revision) - Number(revisionBefore)).toBe(renamed.length);
    for (const [id, name, aliasOf] of await db.query('SELECT id, name, alias FROM component', [])) {
      if (/^m\d+-/.test(String(aliasOf))) expect(eventsOf(String(aliasOf), 'component.create')).toBe(1);
      const renamedTo = lastOf('component.update', `Component ${id}`, 'name');
      if (renamedTo !== undefined) expect(name).toBe(renamedTo);
    }
    for (const [id, aliasOf, counted] of await db.query('SELECT id, alias, revision FROM port', [])) {
      const mark = String(aliasOf).toLowerCase().replaceAll('_', '-');
      if (sent.has(mark)) {
        expect(eventsOf(mark, 'port.add') + eventsOf(mark, 'port.change_alias'), mark).toBe(1);
      }
      const changes = recorded.filter(
        ({ subject, action }) => subject === `Port ${id}` && action !== 'port.add',
      );
      expect(Number(counted), `port ${id}`).toBe(1 + changes.length);
    }
    for (const [domain] of await db.query(
      "SELECT domain FROM http_rule WHERE domain LIKE 'm%.example'",
      [],
    )) {
      expect(eventsOf(String(domain).replace('.example', ''), 'http_rule.create')).toBe(1);
    }
    await expectConsistent(trellis);
  });
}
