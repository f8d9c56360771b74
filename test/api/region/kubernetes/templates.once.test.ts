import { describeTemplatesInCluster } from '../../../support/kubernetes/templates-in-cluster.ts';

// templates.long.once.test.ts has the larger applications.
describeTemplatesInCluster('bookinfo');
