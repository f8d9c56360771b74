import { describeLongTree } from '../../support/long-tree.ts';

describeLongTree(10_000);
