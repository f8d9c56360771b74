import { narrowReads } from './narrow-reads.ts';

narrowReads((caller) => caller !== 'a token of an administrator for an application');
