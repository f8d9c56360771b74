import { narrowReads } from './narrow-reads.ts';

// Of all callers, the one whose reads every kind of filter narrows: those of the others run on one database.
narrowReads((caller) => caller === 'a token of an administrator for an application');
