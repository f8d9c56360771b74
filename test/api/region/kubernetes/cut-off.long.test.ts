import { testCutOffGateways } from '../../../support/cut-off-gateways.ts';

testCutOffGateways(Array.from({ length: 20 }, (_, number) => number));
