import { it } from 'vitest';
import { databaseKind } from './trellis.ts';

/**
 * A test that does not depend on the database, in a file that runs on each of them: it runs on SQLite alone, as a file with
 * `.once` in its name does.
 */
export const once = it.runIf(databaseKind === 'sqlite');
