import { describe, expect, it } from 'vitest';
import { insertMany } from '../../../src/db/write/bulk.ts';
import { defaultLimits } from '../../../src/kernel/limits.ts';
import { failStatement } from '../../support/failing.ts';
import { refsOf, unique } from '../../support/fixtures.ts';
import { apply, exported, plan, tryApply, tryPlan } from '../../support/manifests.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

const initial = (application: string) => `
application: ${application}
components:
  web:
    image: nginx:1.28
    variables: { MODE: one, TOKEN: { value: x, isSecret: true } }
    volumes:
      data: { path: /data, type: share-file, snapshotSchedule: { cron: 0 0 1 1 *, keep: 1 } }
      conf: { path: /conf, type: config-file, fileContent: one }
      kept: { path: /kept, type: share-file, snapshotSchedule: { cron: 0 0 1 1 *, keep: 1 } }
      gone: { path: /gone, type: share-file, snapshotSchedule: { cron: 0 0 1 1 *, keep: 1 } }
    ports: { 80: { protocol: http }, 90: { protocol: tcp } }
    schedules: { clean: { cron: 0 0 1 1 *, command: [clean] }, old: { cron: 0 0 1 1 *, command: [old] } }
    dependsOn: [db]
  db: { image: "postgres:17", ports: { 5432: { protocol: tcp } } }
  old: { image: "redis:8", ports: { 6379: { protocol: tcp } } }
routes:
  - { component: web, port: 80, domain: www.${application}.example }
  - { component: web, port: 80, domain: old.${application}.example }
`;

const changed = (application: string) => `
application: ${application}
note: Changed
components:
  web:
    image: nginx:1.29
    variables: { MODE: two, MORE: value }
    volumes:
      conf: { path: /conf, type: config-file, fileContent: two }
      more: { path: /more, type: share-file, snapshotSchedule: { cron: 0 0 1 1 *, keep: 2 } }
      kept: { snapshotSchedule: { cron: 0 0 2 1 *, keep: 2 } }
      gone: { snapshotSchedule: null }
    ports: { 80: { protocol: grpc }, 81: { protocol: http } }
    schedules: { clean: { isPaused: true }, new: { cron: 0 0 1 1 *, command: [new] } }
    dependsOn: [cache]
  db: { image: "postgres:18", replicas: 2 }
  cache: { image: "valkey:8", ports: { 6379: { protocol: tcp } } }
routes:
  - { component: web, port: 80, domain: www.${application}.example, path: /, weight: 50 }
  - { component: web, port: 81, domain: new.${application}.example }
`;

describe('an apply', () => {
  it('that fails at any of its statements changes nothing', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    await apply(trellis, place, initial(name));
    const contents = () => contentsOf(trellis, (table) => table !== 'access_token');
    const untouched = await contents();
    const options = { prune: 'OWNED', allowsDestruction: true };
    let failed = 0;
    for (;;) {
      const restore = failStatement(trellis, failed + 1);
      const result = await tryApply(trellis, place, changed(name), options).catch(() => undefined);
      const isDone = restore() <= failed;
      expect([failed, result?.__typename === 'ApplyManifestPayload']).toEqual([failed, isDone]);
      if (isDone) break;
      expect([failed, await contents()]).toEqual([failed, untouched]);
      failed++;
    }
    expect(failed).toBeGreaterThan(30);
    const { changes, leftOver } = await plan(trellis, place, changed(name));
    expect([changes, leftOver]).toEqual([[], []]);
  });

  it('takes as many statements for many components as for few, and so do a plan and an export', async () => {
    const counts = async (components: number, rest: number) => {
      const place = await trellis.createPlace();
      const name = unique('app');
      const document = (image: string) =>
        JSON.stringify({
          application: name,
          components: Object.fromEntries(
            Array.from({ length: components }, (_, index) => [
              `part-${index}`,
              {
                image,
                variables: Object.fromEntries(
                  Array.from({ length: rest }, (_, each) => [`VARIABLE_${each}`, 'x']),
                ),
                volumes: {
                  data: {
                    path: '/data',
                    type: 'share-file',
                    snapshotSchedule: { cron: '0 0 1 1 *', keep: image.length + Number(image.endsWith('9')) },
                  },
                },
                ports: { 80: { protocol: 'http' } },
                schedules: { clean: { cron: '0 0 1 1 *', command: [image] } },
                dependsOn: index > 0 ? ['part-0'] : [],
              },
            ]),
          ),
          routes: Array.from({ length: components }, (_, index) => ({
            component: `part-${index}`,
            port: 80,
            domain: `d${index}.${name}.example`,
          })),
        });
      const of = async <T>(work: () => Promise<T>): Promise<number> => {
        trellis.statements.length = 0;
        await work();
        return trellis.statements.length;
      };
      let appId = 0;
      const taken = {
        planned: await of(() => plan(trellis, place, document('nginx:1.28'))),
        created: await of(async () => {
          appId = (await apply(trellis, place, document('nginx:1.28'))).application.appId;
        }),
        again: await of(() => plan(trellis, place, document('nginx:1.28'))),
        changed: await of(() => apply(trellis, place, document('nginx:1.29'))),
        exported: await of(() => exported(trellis, appId)),
      };
      return taken;
    };
    const few = await counts(2, 2);
    expect(await counts(20, 5)).toEqual(few);
    expect(few.again).toBeLessThan(40);
  });
});

const maxStandingObjects = defaultLimits.applicationObjects;

describe('an application with more objects than are read at once', () => {
  it('has no plans and no manifest, and none of its objects is read', async () => {
    const all = await trellis.createAll();
    const { db } = trellis.services;
    const { componentId } = all.component;
    const port = { componentId, protocol: 'tcp', isInner: false, isOuter: false, createdAt: new Date() };
    const numbers = Array.from({ length: maxStandingObjects }, (_, index) => 10_000 + index);
    const ports = numbers.map((number) => ({ ...port, number, alias: `P${number}` }));
    await db.transaction((tx) => insertMany({ context: { db }, tx }, 'Port', ports));
    const full = {
      code: 'CONFLICT',
      message: expect.stringContaining(`read at most ${maxStandingObjects}.`),
    };
    trellis.statements.length = 0;
    const document = `application: ${all.application.name}\nnote: other\n`;
    expect(await tryApply(trellis, all, document)).toMatchObject(full);
    expect(trellis.statements.filter((text) => /FROM "port" t/.test(text))).toEqual([]);
    expect((await tryPlan(trellis, all, document)).error).toMatchObject({ message: full.message });
    const { errors } = await trellis.graphql(
      `{ application(by: { appId: ${all.application.appId} }) { manifest { document } } }`,
    );
    expect(errors).toMatchObject([{ message: full.message, extensions: { code: 'CONFLICT' } }]);
  });
});

describe('a plan', () => {
  it('waits for the other plans of its request', async () => {
    const place = await trellis.createPlace();
    const { db } = trellis.services;
    const { transaction } = db;
    const open = { now: 0, most: 0, all: 0 };
    db.transaction = async (work, signal) => {
      open.most = Math.max(open.most, ++open.now);
      open.all++;
      return transaction(work, signal).finally(() => open.now--);
    };
    const field = 'planManifest(team: $team, region: $region, document: $document) { digest }';
    const fields = Array.from({ length: 20 }, (_, index) => `plan${index}: ${field}`);
    // The first one fails, and the others are made.
    const broken = field.replace('$document', '"application: ["');
    const { data, errors } = await trellis
      .graphql(
        `query ($team: TeamRef!, $region: RegionRef!, $document: String!) { broken: ${broken} ${fields.join(' ')} }`,
        { ...refsOf(place), document: `application: ${unique('app')}` },
      )
      .finally(() => {
        db.transaction = transaction;
      });
    expect([errors, data]).toMatchObject([[{ extensions: { code: 'INVALID_INPUT' } }], null]);
    expect(open).toEqual({ now: 0, most: 1, all: 20 });
  });
});
