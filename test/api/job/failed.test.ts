import { describe, expect, it } from 'vitest';
import { RegionWorkError } from '../../../src/drivers/region/driver.ts';
import { createJobPlace, ended, recordingDriver, submit } from '../../support/jobs.ts';
import { eventsOf } from '../../support/own-events.ts';
import { useTrellis } from '../../support/trellis.ts';

const failing = new Set<string>();
const { driver } = recordingDriver('refusing', ({ componentId }) => {
  if (failing.has(componentId)) throw new RegionWorkError('No such image.', { isPermanent: true });
  return { isDone: true };
});

const trellis = useTrellis({ drivers: [driver], jobs: { maxAttempts: 2 } });

const failuresOf = (teamId: string) => eventsOf(trellis, teamId, 'job.failed');

describe('a job that fails', () => {
  it('is recorded once, when it ends, as an event without a caller', async () => {
    const place = await createJobPlace(trellis, 'refusing', 3);
    for (const id of place.componentIds.slice(1)) failing.add(id);
    const before = await trellis.services.db.application.findManyByKeys({ by: 'id', keys: [place.appId] });
    const { job } = await ended(trellis, await submit(trellis, place, { steps: [0, 0, 0] }));
    expect(job.status).toBe('failed');
    expect(await failuresOf(place.team.teamId)).toEqual([
      {
        requestId: job.requestId,
        tokenId: null,
        actor: null,
        objectUid: String(job.id),
        changes: { kind: 'deploy', status: 'failed', error: job.error },
      },
    ]);
    const [event] = await trellis.services.db.query(
      `SELECT application_id FROM event WHERE action = 'job.failed' AND subject_id = '${job.id}'`,
      [],
    );
    expect(Number(event![0])).toBe(place.appId);
    // It changes nothing of the application.
    const [application] = await trellis.services.db.application.findManyByKeys({
      by: 'id',
      keys: [place.appId],
    });
    expect(application!.revision).toBe(before[0]!.revision);
  });

  it('is not told to who may see only one of its applications', async () => {
    const place = await createJobPlace(trellis, 'refusing', 2);
    for (const id of place.componentIds) failing.add(id);
    const { appId } = await trellis.createApplication(place);
    const { userId, token } = await trellis.createPerson();
    const team = { teamId: place.team.teamId };
    const limit = { role: 'DEVELOPER', applications: [{ appId }] };
    await trellis.succeed('addTeamMember', { team, user: { userId }, ...limit }, '__typename');
    const query = `{ team(by: { teamId: "${team.teamId}" }) { events(action: "job.failed") { totalCount } } }`;
    const seen = async (by?: string) => (await trellis.data(query, {}, by)).team.events.totalCount;
    const several = { ...place, appId: null as never };
    const { job } = await ended(trellis, await submit(trellis, several));
    expect(job).toMatchObject({ status: 'failed', applicationId: null });
    expect([await seen(), await seen(token)]).toEqual([1, 0]);
  });

  it('is told to those who watch the events of the team', async () => {
    const place = await createJobPlace(trellis, 'refusing');
    const topics: string[] = [];
    const stop = trellis.services.db.channel.subscribe((changed) => void topics.push(...(changed ?? [])));
    failing.add(place.componentIds[0]!);
    await ended(trellis, await submit(trellis, place));
    await expect.poll(() => topics, { timeout: 60_000 }).toContain(`events/${place.team.teamId}`);
    if (typeof stop === 'function') stop();
  });

  it('is not recorded for jobs that succeed or are cancelled', async () => {
    const place = await createJobPlace(trellis, 'refusing');
    const { job } = await ended(trellis, await submit(trellis, place));
    expect(job.status).toBe('succeeded');
    expect(await failuresOf(place.team.teamId)).toEqual([]);
  });
});
