import { testLargeTemplates } from '../support/large-templates.ts';

testLargeTemplates('a template of a store with many versions', {
  parts: 20,
  versions: 2_000,
  isWatched: false,
});
