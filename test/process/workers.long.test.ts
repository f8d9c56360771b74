import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endProcesses } from '../support/process.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createDatabase, databaseKind, type TestDatabase } from '../support/trellis.ts';
import { childrenOf, isAlive, startWorkers } from '../support/workers.ts';

startsProcesses(2);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await endProcesses();
  await database.drop();
});

// One process serves an SQLite file.
describe.runIf(databaseKind === 'postgres')('workers', () => {
  it('are refused a port that others have, and end with the main process', async () => {
    const trellis = startWorkers(database);
    const { port } = new URL(await trellis.listening);
    const other = startWorkers(database, { PORT: port, METRICS_PORT: '' });
    expect(await other.ended).toBe(1);
    expect(other.output().stderr).toContain('EADDRINUSE');
    const workers = childrenOf(trellis);
    trellis.child.kill('SIGKILL');
    await trellis.ended;
    await vi.waitFor(() => expect(workers.filter(isAlive)).toEqual([]), { timeout: 90_000 });
  });
});
