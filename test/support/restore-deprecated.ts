import { afterAll } from 'vitest';
import { restoreDeprecated } from './deprecations.ts';

// A setup file: files that run in the same process share the schema.
afterAll(restoreDeprecated);
