import { LeaseTable } from '../../db/work/holder.ts';

export const upkeepLeases = new LeaseTable('WorkerLease', 'name');
