import { testCutOffGateways } from '../../../support/cut-off-gateways.ts';

// A component that runs, a newer deploy, and a request that arrives after it.
testCutOffGateways([11]);
