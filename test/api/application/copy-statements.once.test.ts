import { describe, expect, it } from 'vitest';
import { tryCopy } from '../../support/copies.ts';
import { failStatement } from '../../support/failing.ts';
import { unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

/** An application whose components have one of everything. */
const document = (application: string, components: number) =>
  JSON.stringify({
    application,
    components: Object.fromEntries(
      Array.from({ length: components }, (_, index) => [
        `part-${index}`,
        {
          image: 'nginx:1.28',
          variables: { MODE: 'one', TOKEN: 'hush' },
          volumes: {
            data: { path: '/data', type: 'share-file', snapshotSchedule: { cron: '0 0 1 1 *', keep: 1 } },
          },
          ports: { 80: { protocol: 'http', isOuter: true }, 90: { protocol: 'tcp', isOuter: true } },
          schedules: { clean: { cron: '0 0 1 1 *', command: ['clean'] } },
          dependsOn: index > 0 ? ['part-0'] : [],
        },
      ]),
    ),
    routes: Array.from({ length: components }, (_, index) => ({
      component: `part-${index}`,
      port: 80,
      domain: `d${index}.${application}.example`,
    })),
  });

it('takes as many statements to copy many components as few', async () => {
  const counts = async (components: number) => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, document(unique('app'), components));
    const input = { application: { appId: application.appId }, name: 'copy', deploy: true };
    const of = async (given: object) => {
      trellis.statements.length = 0;
      const { omitted } = await trellis.succeed('copyApplication', given, 'omitted { kind } plan { action }');
      expect(omitted).toHaveLength(3 * components + 1);
      return trellis.statements.length;
    };
    return { planned: await of({ ...input, dryRun: true }), made: await of(input) };
  };
  expect(await counts(40)).toEqual(await counts(2));
});

it('copies nothing if one of its statements fails', async () => {
  const place = await trellis.createPlace();
  const { application } = await apply(trellis, place, document(unique('app'), 2));
  const input = { application: { appId: application.appId }, name: 'copy', deploy: true };
  const contents = () => contentsOf(trellis, (table) => table !== 'access_token');
  const before = await contents();
  let failed = 0;
  for (;;) {
    const restore = failStatement(trellis, failed + 1);
    const result = await tryCopy(trellis, input).catch(() => undefined);
    const isDone = restore() <= failed;
    expect([failed, result?.__typename === 'CopyApplicationPayload']).toEqual([failed, isDone]);
    if (isDone) break;
    expect([failed, await contents()]).toEqual([failed, before]);
    failed++;
  }
  expect(failed).toBeGreaterThan(40);
});

describe('an application whose copy would be larger than a change can be', () => {
  const image = 'nginx:1.28';
  const file = { path: '/etc/web.conf', type: 'config-file', fileContent: 'x'.repeat(1_000_000) };
  it.each<[string, object[]]>([
    [
      'with many components',
      [0, 1].map((half) =>
        Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`part-${half}-${at}`, { image }])),
      ),
    ],
    [
      'with large files',
      Array.from({ length: 4 }, (_, at) => ({ [`part-${at}`]: { image, volumes: { file } } })),
    ],
  ])('is not read: %s', async (_, parts) => {
    const small = await startTrellis({ limits: { changeObjects: 300 } });
    const place = await small.createPlace();
    const name = unique('app');
    let appId = 0;
    for (const components of parts) {
      const document = JSON.stringify({ application: name, components });
      ({ appId } = (await apply(small, place, document)).application);
    }
    small.statements.length = 0;
    for (const dryRun of [true, false]) {
      const answer = await tryCopy(small, { application: { appId }, name: 'copy', dryRun }).catch(String);
      expect(answer).toContain('300 objects in one change');
    }
    const read = small.statements.filter((text) =>
      /^SELECT (?!sum|component_id, sum).* FROM "?(port|volume)/s.test(text),
    );
    expect(read).toEqual([]);
    await small.close();
  });
});
