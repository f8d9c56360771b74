import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../src/commands/migration.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The administrator's database of a running PostgreSQL, in which a test makes databases of its own. */
    postgresUrl: string;
  }
}

// Each project of a run is set up by a copy of this module: all share one server.
const shared = globalThis as {
  postgresOfTests?: { started: ReturnType<typeof startPostgres>; users: number };
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.postgresOfTests ??= { started: startPostgres(), users: 0 };
  const postgres = shared.postgresOfTests;
  postgres.users++;
  const { url, stop } = await postgres.started;
  project.provide('postgresUrl', url);
  return async () => {
    if (--postgres.users > 0) return;
    delete shared.postgresOfTests;
    await stop();
  };
}
