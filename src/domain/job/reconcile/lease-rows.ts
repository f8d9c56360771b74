import { LeaseTable } from '../../../db/work/holder.ts';

/** Which process looks after each region. */
export const regionLeases = new LeaseTable('RegionLease', 'regionId');
