import { testLargeTemplates, testTimeLimit } from '../support/large-templates.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

// As many of everything as a template may have.
testLargeTemplates('the largest template of a store with the most versions', {
  parts: 500,
  versions: 2_000,
  isWatched: true,
});
testTimeLimit();
