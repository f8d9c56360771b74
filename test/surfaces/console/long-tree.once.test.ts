import { describeLongTree } from '../../support/long-tree.ts';

describeLongTree(2_000);
