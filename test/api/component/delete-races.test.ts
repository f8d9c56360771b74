import { describeDeletionRaces } from '../../support/deletion-races.ts';

// One of each kind: the same deletion, a row below, a row that refers to it, and a job. delete-races.long.test.ts has the rest.
describeDeletionRaces(['the same deletion', 'addPort', 'addDependency', 'deployComponent']);
