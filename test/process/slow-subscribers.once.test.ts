import { testSlowSubscribers } from '../support/slow-subscribers.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testSlowSubscribers(20);
