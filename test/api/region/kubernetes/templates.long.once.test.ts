import { describeTemplatesInCluster } from '../../../support/kubernetes/templates-in-cluster.ts';

describeTemplatesInCluster();
