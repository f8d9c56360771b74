import { fastLane } from './fast-lane.ts';

fastLane(150);
