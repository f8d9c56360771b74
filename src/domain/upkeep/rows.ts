import { LeaseTable } from '../../db/work/holder.ts';

/** Which process does the upkeep. */
export const upkeepLeases = new LeaseTable('WorkerLease', 'name');
