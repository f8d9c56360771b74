import { copiedTemplates } from '../../../support/copies-of-templates.ts';
import { testSeparateCopies } from '../../../support/kubernetes/separate-copies.ts';

testSeparateCopies(copiedTemplates);
