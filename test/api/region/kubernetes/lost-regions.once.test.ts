import { testLostRegions } from '../../../support/lost-regions.ts';

testLostRegions(2);
