import { describeCopiesInCluster } from '../../support/copies-in-cluster.ts';

describeCopiesInCluster(3);
