import { unknownNamesOf } from './rest-unknown-names.ts';

// They name objects in the same way as reads, which run on both databases.
unknownNamesOf('changes');
