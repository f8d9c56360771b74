import { describeDeletionRaces, raced } from '../../support/deletion-races.ts';

describeDeletionRaces(raced);
