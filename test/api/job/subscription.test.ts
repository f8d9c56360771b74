import { beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../../support/fixtures.ts';
import { createJobPlace, type JobPlace, submit } from '../../support/jobs.ts';
import { type SentItem, subscribe, until } from '../../support/subscribe.ts';
import { useTrellis } from '../../support/trellis.ts';

const jobChanged = `subscription Job($job: JobRef!) {
  jobChanged(job: $job) { uid status components { nodes { status } } }
}`;
const applicationChanged = `subscription Application($application: ApplicationRef!) {
  applicationChanged(application: $application) { name note components { nodes { status: state } } }
}`;

const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 100 })], jobs: {} });
let place: JobPlace;
beforeAll(async () => {
  place = await createJobPlace(trellis, 'simulated', 2);
});

const jobOf = (item: SentItem) => item.data?.data?.jobChanged;
const applicationOf = (item: SentItem | undefined) => item?.data?.data?.applicationChanged;

const followApplication = (lastEventId?: string) =>
  subscribe(trellis, applicationChanged, { variables: { application: { appId: place.appId } }, lastEventId });

const setNote = (note: string) =>
  trellis.succeed('updateApplication', { application: { appId: place.appId }, note }, 'application { note }');

describe('jobChanged', () => {
  it('sends the job until it has ended, and its application with it', async () => {
    const application = await followApplication();
    const job = await submit(trellis, place);
    const subscription = await subscribe(trellis, jobChanged, {
      variables: { job: { jobId: job.id } },
      // The state at first, whatever has happened before.
      lastEventId: 'none',
    });
    const items = await until(subscription, (item) => jobOf(item)?.status === 'SUCCEEDED');
    const statuses = items.map((item) => jobOf(item).status);
    expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual(
      ['PENDING', 'RUNNING', 'SUCCEEDED'].filter((status) => statuses.includes(status)),
    );
    expect(jobOf(items.at(-1)!).components.nodes).toEqual([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }]);
    const seen = await until(application, (item) =>
      applicationOf(item).components.nodes.every(({ status }: { status: string }) => status === 'RUNNING'),
    );
    expect(seen.length).toBeGreaterThan(0);
    subscription.close();
    application.close();
  });
});

describe('applicationChanged', () => {
  it('sends the state after the last of many changes, and not always those before', async () => {
    const subscription = await followApplication();
    const notes = Array.from({ length: 40 }, () => unique('note'));
    await Promise.all(notes.map(setNote));
    const last = unique('note');
    await setNote(last);
    const items = await until(subscription, (item) => applicationOf(item).note === last);
    expect(items.length).toBeLessThanOrEqual(notes.length + 1);
    subscription.close();
  });

  it('begins with the state after Last-Event-ID, unless the client has it', async () => {
    const first = await followApplication();
    await setNote(unique('note'));
    const { id } = (await first.next())!;
    first.close();

    const same = await followApplication(id);
    const note = unique('note');
    await setNote(note);
    expect(applicationOf(await same.next()).note).toBe(note);
    same.close();

    const other = await followApplication(id);
    expect(applicationOf(await other.next()).note).toBe(note);
    other.close();
  });

  it('is not missed by a client that is interrupted before the first item', async () => {
    const first = await followApplication();
    await expect.poll(() => first.lastId()).toBeDefined();
    first.close();
    const note = unique('note');
    await setNote(note);
    const again = await followApplication(first.lastId());
    expect(applicationOf(await again.next()).note).toBe(note);
    again.close();
  });

  it('ends with NOT_FOUND when the application is deleted', async () => {
    const { application } = await trellis.succeed(
      'createApplication',
      {
        team: { teamId: place.team.teamId },
        region: { regionId: place.region.regionId },
        name: unique('app'),
      },
      'application { appId: uid }',
    );
    const subscription = await subscribe(trellis, applicationChanged, { variables: { application } });
    await trellis.succeed('deleteApplication', { application }, 'application { name }');
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items.map(({ data }) => data?.errors?.[0].extensions.code)).toEqual(['NOT_FOUND', undefined]);
  });
});
