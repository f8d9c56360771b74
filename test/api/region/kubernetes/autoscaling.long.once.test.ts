import { describeKeptNumber } from '../../../support/kubernetes/autoscaled.ts';

describeKeptNumber({ minutes: 60 });
