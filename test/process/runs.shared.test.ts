import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { clientOf } from '../support/gateways.ts';
import { startProcess } from '../support/process.ts';
import { endStarts, migratedDatabase, startHere } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

const token = 'a-token-of-at-least-32-characters';
const patience = { timeout: 60_000, interval: 50 };

afterAll(endStarts);

describe('SIGKILL of a gateway', { timeout: 180_000 }, () => {
  it('leaves runs, which the next one looks at until they have ended', async () => {
    const settings = {
      ...(await migratedDatabase()),
      BOOTSTRAP_TOKEN: token,
      SIMULATED_DELAY_MS: '50',
      JOB_POLL_MS: '200',
      JOB_LEASE_MS: '2000',
    };
    const first = startProcess(settings);
    const url = await first.listening;
    const db = await openDatabase({ url: settings.DATABASE_URL, poolSize: 1 });
    let trellis = clientOf(url, token, db);
    const { teamId } = await trellis.createTeam();
    const region = await trellis.createRegion({ driver: 'SIMULATED' });
    const team = { teamId };
    await trellis.succeed('openTeamRegion', { team, region: { name: region.name } }, '__typename');
    const { appId } = await trellis.createApplication({ team, region } as never);
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    const start = async (command: string[], more: object = {}): Promise<string> => {
      const input = { component: { componentId }, command, ...more };
      return (await trellis.succeed('runComponent', input, 'run { uid }')).run.uid;
    };
    const fields = 'status exitCode startedAt endedAt';
    const read = async (uid: string) =>
      (await trellis.data(`{ run(by: { runId: "${uid}" }) { ${fields} } }`)).run;
    const ended = await start(['sh', '-c', 'sleep 4; exit 6']);
    const late = await start(['sleep', '600'], { timeoutSeconds: 5 });
    const cancelled = await start(['sleep', '600']);
    for (const uid of [ended, late, cancelled]) {
      await expect.poll(async () => (await read(uid)).status, patience).toBe('RUNNING');
    }
    const { startedAt } = await read(ended);
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    const second = await startHere(settings);
    trellis = clientOf(second.url, token, db);
    await trellis.succeed('cancelRun', { run: { runId: cancelled } }, '__typename');
    const status = (uid: string) => expect.poll(async () => (await read(uid)).status, patience);
    await status(cancelled).toBe('CANCELLED');
    await status(ended).toBe('FAILED');
    await status(late).toBe('TIMED_OUT');
    // The same run, which was not started again.
    expect(await read(ended)).toMatchObject({ exitCode: 6, startedAt });
    await db.close();
    await second.stop();
  });
});
