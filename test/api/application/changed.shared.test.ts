import { describe, expect, it } from 'vitest';
import { upgradedGroup } from '../../support/installs.ts';
import { subscribe } from '../../support/subscribe.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

describe('applicationChanged', () => {
  it('shows each of the subscribers of a change what they may see', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place, 'subscribed');
    await upgradedGroup(trellis, appId);
    const { componentId } = await trellis.createComponent(appId);
    const grants = [{ actions: ['READ'], component: { componentId } }];
    const { secret } = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret');

    const document =
      'subscription($application: ApplicationRef!) { applicationChanged(application: $application) { upgrades { currentVersion } } }';
    const application = { appId };
    const follow = (token: string) => subscribe(trellis, document, { variables: { application }, token });
    const [whole, narrow] = [await follow(trellis.adminToken), await follow(secret)];
    await trellis.succeed('updateApplication', { application, note: 'Changed' }, '__typename');
    const items = [await whole.next(), await narrow.next()];
    for (const subscription of [whole, narrow]) subscription.close();

    const upgradesIn = (item: (typeof items)[number]) => item?.data.data.applicationChanged.upgrades;
    expect(items.map(upgradesIn)).toEqual([[{ currentVersion: '2.0.0' }], []]);
  });
});
