import { garbage } from './garbage.ts';

// Multiples of the eight requests that are sent at once.
garbage(1 / 10);
