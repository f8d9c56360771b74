import { expect, it } from 'vitest';
import { insertMany } from '../../../src/db/write/bulk.ts';
import { maxComponents } from '../../../src/domain/component/size/model.ts';
import { unique } from '../../support/fixtures.ts';
import { tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

it('a team has a limited number of components in a region', async () => {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  await trellis.createComponent(appId);
  const { db } = trellis.services;
  const [row] = await db.component.findManyByKeys({ by: 'applicationId', keys: [appId] });
  const rows = Array.from({ length: maxComponents - 2 }, (_, index) => {
    const id = `copy-${index}`;
    const names = { alias: id, name: id, clusterName: id, ownedClusterName: id, serviceName: id };
    return { ...row!, id: unique(id), key: id, ...names };
  });
  await db.transaction((tx) => insertMany({ context: { db }, tx }, 'Component', rows));
  // An application with as many components is no longer possible.
  const other = await trellis.createApplication(place);
  const create = () =>
    trellis.attempt('createComponent', {
      application: { appId: other.appId },
      name: unique('component'),
      image: 'nginx',
    });
  const refused = 'The team would have more than 25,000 components in the region, which is the limit.';
  await expect(
    tryApply(trellis, place, 'application: two\ncomponents: { a: { image: nginx }, b: { image: nginx } }'),
  ).resolves.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(refused) });
  expect(await create()).toMatchObject({ __typename: 'CreateComponentPayload' });
  expect(await create()).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(refused) });
  const elsewhere = await trellis.createPlace();
  await trellis.createComponent((await trellis.createApplication(elsewhere)).appId);
});
