import { copiedTemplates } from '../../../support/copies-of-templates.ts';
import { testSeparateCopies } from '../../../support/kubernetes/separate-copies.ts';

// The one with databases. copies.long.once.test.ts has all.
testSeparateCopies(copiedTemplates.filter(([name]) => name === 'sock-shop'));
