import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { clientOf } from './gateways.ts';
import { expectConsistent } from './invariants.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { randomOf } from './random.ts';
import { createMigratedDatabase, databaseKind } from './trellis.ts';

const token = 'a-token-of-at-least-32-characters';
const clients = 16;

/** A change of one thing, which is there or not. */
interface Change {
  /** What it is about: successful additions less successful removals tell whether it is there. */
  of: string;
  adds: boolean;
  path: string;
  method: string;
  body?: object;
}

interface Result {
  isDone: boolean;
  text: string;
  isReplayed: boolean;
}

/** Whether an answer says that the change was made, or undefined if it does not say. */
async function resultOf(response: Response): Promise<Result | undefined> {
  const text = await response.text();
  const body = JSON.parse(text);
  const [answer] = Object.values<any>(body.data ?? {});
  const code: string | undefined = body.code ?? body.errors?.[0].extensions.code ?? answer?.code;
  if (code === 'UNAVAILABLE') return undefined;
  if (code !== undefined && code !== 'CONFLICT' && code !== 'NOT_FOUND') throw new Error(text);
  return {
    isDone: code === undefined,
    text,
    isReplayed: response.headers.get('Idempotent-Replayed') === 'true',
  };
}

const graphqlOf = (name: string, input: object) => {
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const query = `mutation($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { code } } }`;
  return { method: 'POST', path: '/graphql', body: { query, variables: { input } } };
};

/** Makes so many changes through gateways of which one stays, one stops, one is killed and one starts. */
export function testManyGateways(mutations: number): void {
  afterAll(endProcesses);

  // With SQLite, one process serves a database.
  const timeout = 120_000 + mutations * 300;
  describe.skipIf(databaseKind === 'sqlite')('many gateways', { timeout }, () => {
    it(`make of ${mutations} changes what their answers say, while they start, stop and are killed`, async () => {
      const database = await createMigratedDatabase();
      const settings = {
        DATABASE_URL: database.url,
        SECRET_KEY: 'ab'.repeat(32),
        BOOTSTRAP_TOKEN: token,
        RATE_LIMIT_PER_SECOND: '0',
      };
      const start = () => startProcess(settings);
      const processes = [start(), start(), start()] as const;
      const [steady, stopped, killed] = processes;
      const db = await openDatabase({ url: database.url, poolSize: 2 });
      /** Those that take requests. */
      const open = new Map<TrellisProcess, string>();
      for (const each of processes) open.set(each, await each.listening);

      const trellis = clientOf(open.get(steady)!, token, db);
      const place = await trellis.createPlace();
      const { appId } = await trellis.createApplication(place);
      const componentIds: string[] = [];
      for (let index = 0; index < 8; index++) {
        componentIds.push((await trellis.createComponent(appId)).componentId);
      }
      const before = Number((await db.query('SELECT max(id) FROM event', []))[0]![0]);

      const random = randomOf(12);
      const restPorts = (componentId: string) =>
        `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/services/${componentId}/ports`;
      /** Few things, so that many changes are about the same. */
      function nextChange(): Change {
        const adds = random.chance(0.6);
        const kind = random.pick(['port', 'rest-port', 'volume', 'team']);
        const component = { componentId: random.pick(componentIds) };
        const number = 1 + random.below(25);
        const of = `${kind.replace('rest-', '')} ${component.componentId} ${number}`;
        switch (kind) {
          case 'team': {
            const name = `team-${number}`;
            const called = adds
              ? graphqlOf('createTeam', { name })
              : graphqlOf('deleteTeam', { team: { name } });
            return { of: `team ${name}`, adds, ...called };
          }
          case 'volume': {
            const name = `v${number}`;
            const called = adds
              ? graphqlOf('addVolume', { component, name, path: `/${name}`, type: 'local' })
              : graphqlOf('deleteVolume', { volume: { at: { component, name } } });
            return { of, adds, ...called };
          }
          case 'rest-port': {
            const path = restPorts(component.componentId);
            return adds
              ? { of, adds, method: 'POST', path, body: { port: number, protocol: 'tcp' } }
              : { of, adds, method: 'DELETE', path: `${path}/${number}` };
          }
          default: {
            const called = adds
              ? graphqlOf('addPort', { component, number, protocol: 'TCP' })
              : graphqlOf('deletePort', { port: { at: { component, number } } });
            return { of, adds, ...called };
          }
        }
      }

      const sendTo = (url: string, { method, path, body }: Change, key?: string) =>
        fetch(`${url}${path}`, {
          method,
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            ...(key && { 'Idempotency-Key': key }),
          },
          ...(body && { body: JSON.stringify(body) }),
        }).then(resultOf);

      let noteBroken = () => {};
      /** Resolves when a request was repeated, because its connection broke. */
      const brokeOff = new Promise<void>((resolve) => {
        noteBroken = resolve;
      });
      /** Until an answer says what has become of the change. Where the connection breaks, another gateway knows. */
      async function settle(change: Change, key: string): Promise<Result> {
        for (;;) {
          const url = random.pick([...open.values()]);
          const result = await sendTo(url, change, key).catch((error) => {
            if (error instanceof TypeError) return undefined;
            throw error;
          });
          if (result) return result;
          noteBroken();
        }
      }

      let isSent = 0;
      const reached = new Map<number, () => void>();
      /** Resolves when so many changes were sent. */
      const sent = (count: number) => new Promise<void>((resolve) => reached.set(count, resolve));
      const there = new Map<string, number>();
      let made = 0;
      async function work(): Promise<void> {
        while (isSent < mutations) {
          const index = isSent++;
          reached.get(index)?.();
          const change = nextChange();
          const key = `key-${index}`;
          let result: Result | undefined;
          const share = index % 20;
          if (share < 13) {
            // Without a key, only a gateway that stays tells for certain. What it has no time for changes nothing.
            do result = await sendTo(open.get(steady)!, change);
            while (!result);
          } else if (share < 18) {
            result = await settle(change, key);
          } else {
            const [one, other] = await Promise.all([settle(change, key), settle(change, key)]);
            expect(other.text).toBe(one.text);
            expect(one.isReplayed || other.isReplayed).toBe(true);
            result = one;
          }
          if (result.isDone) {
            there.set(change.of, (there.get(change.of) ?? 0) + (change.adds ? 1 : -1));
            made++;
          }
        }
      }
      const [quarter, half] = [sent(mutations / 4), sent(mutations / 2)];
      const all = Promise.all(Array.from({ length: clients }, work));

      await quarter;
      open.delete(stopped);
      stopped.child.kill('SIGTERM');
      const late = start();
      await half;
      // Its requests break off.
      killed.child.kill('SIGKILL');
      await brokeOff;
      open.delete(killed);
      open.set(late, await late.listening);
      expect(await stopped.ended).toBe(0);
      expect(await killed.ended).toBe('SIGKILL');
      await all;
      expect(made).toBeGreaterThan(mutations / 4);

      expect([...there.values()].filter((count) => count !== 0 && count !== 1)).toEqual([]);
      const expected = [...there].filter(([, count]) => count === 1).map(([of]) => of);
      const rows = await db.query(
        `SELECT 'port ' || component_id || ' ' || number FROM port
       UNION ALL SELECT 'volume ' || component_id || ' ' || substr(name, 2) FROM volume
       UNION ALL SELECT 'team ' || name FROM team WHERE name LIKE 'team-%' AND id <> '${place.team.teamId}'`,
        [],
      );
      expect(rows.map(([of]) => of as string).sort()).toEqual(expected.sort());
      const [events] = await db.query(
        `SELECT count(*) FROM event WHERE action IN ('port.add', 'port.delete', 'volume.add', 'volume.delete', 'team.create', 'team.delete') AND id > ${before}`,
        [],
      );
      expect(Number(events![0])).toBe(made);
      await expectConsistent(trellis);
      for (const each of [steady, late]) {
        each.child.kill('SIGTERM');
        expect(await each.ended).toBe(0);
        expect(each.output().stderr).toBe('');
      }
      await db.close();
      await database.drop();
    });
  });
}
