import { expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const document = (application: string) =>
  JSON.stringify({
    application,
    components: Object.fromEntries(
      ['api', 'db', 'web'].map((name) => [
        name,
        {
          image: `${name}:1`,
          ports: { 80: { protocol: 'http', isInner: true } },
          volumes: { data: { path: '/data', type: 'local' } },
        },
      ]),
    ),
  });

it('plans new applications of a team once, although others are created meanwhile', async () => {
  const place = await trellis.createPlace();
  const create = () => apply(trellis, place, document(unique('app')));
  await create();
  const statementsOf = async (work: () => Promise<unknown>) => {
    trellis.statements.length = 0;
    await work();
    return trellis.statements.length;
  };
  const ofOne = await statementsOf(create);
  const count = 8;
  const ofMany = await statementsOf(() => Promise.all(Array.from({ length: count }, create)));
  expect(ofMany / count).toBeLessThan(ofOne * 1.1);
});
