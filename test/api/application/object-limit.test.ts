import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply, tryApply } from '../../support/manifests.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ limits: { applicationObjects: 12 }, drivers: [declaredWithRuns] });

describe('an application', () => {
  it('has a limited number of objects, whatever adds them', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const of = (ports: number) =>
      `application: ${name}\ncomponents: { web: { image: nginx, ports: { ${Array.from({ length: ports }, (_, index) => `${index + 1}: { protocol: tcp }`).join(', ')} } } }`;
    const { application } = await apply(trellis, place, of(8));
    const created = async (name: string) =>
      (
        await trellis.succeed(
          'createComponent',
          { application: { appId: application.appId }, name, image: 'nginx' },
          'component { uid }',
        )
      ).component.uid;
    const [componentId, dependencyId] = [await created('other'), await created('more')];
    const at = { component: { componentId } };
    await trellis.succeed('addPort', { ...at, number: 80, protocol: 'TCP' }, '__typename');
    const full = { code: 'CONFLICT', message: expect.stringContaining('The limit is 12.') };
    const variables = [{ name: 'A', value: 'b', label: 'c' }];
    const volume = { name: 'data', path: '/data', type: 'share-file' };
    const schedule = { cron: '0 0 1 1 *', command: ['x'] };
    const all: [string, object][] = [
      ['addPort', { ...at, number: 81, protocol: 'TCP' }],
      ['setVariables', { ...at, set: variables }],
      ['addVolume', { ...at, ...volume }],
      ['createSchedule', { ...at, name: 'clean', ...schedule }],
      ['addDependency', { ...at, dependency: { componentId: dependencyId } }],
      ['createComponent', { application: { appId: application.appId }, name: 'third', image: 'nginx' }],
    ];
    for (const [mutation, input] of all) {
      expect([mutation, await trellis.attempt(mutation, input)]).toMatchObject([mutation, full]);
    }
    expect(await tryApply(trellis, place, of(9))).toMatchObject(full);
    // One that is deleted makes room for another, also in one change.
    const { __typename } = await tryApply(trellis, place, of(8).replace('1:', '10:'), {
      prune: 'OWNED',
      allowsDestruction: true,
    });
    expect(__typename).toBe('ApplyManifestPayload');
  });
});
