import { testIdleSubscriptions } from '../support/idle-subscriptions.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testIdleSubscriptions(2_000);
