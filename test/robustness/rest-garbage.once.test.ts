import { restGarbage } from './rest-garbage.ts';

restGarbage(1 / 10);
