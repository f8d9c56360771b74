import { describeRollbacksOfTemplates, upgradePairs } from '../../support/rollbacks-of-templates.ts';

describeRollbacksOfTemplates(upgradePairs);
