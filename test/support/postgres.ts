import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../src/commands/migration.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The administrator's database of a running PostgreSQL, in which a test makes databases of its own. */
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startPostgres();
  project.provide('postgresUrl', url);
  return stop;
}
