import { comparesExecutors } from './execute.ts';

comparesExecutors(1 / 10);
