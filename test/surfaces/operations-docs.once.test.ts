import { describeOperationsPage } from '../support/operations-page.ts';

// All of them are executed in the long lane.
describeOperationsPage(2, 1);
