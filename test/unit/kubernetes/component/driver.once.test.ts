import { clusterUnderTest } from '../../../support/kubernetes/driver.ts';
import { patienceMs } from '../../../support/kubernetes/test-cluster.ts';
import { describeRegionDriver } from '../../../support/region-driver-contract.ts';

// By a kubeconfig, which can be that of a real cluster: see docs/kubernetes.md.
describeRegionDriver('kubernetes', () => clusterUnderTest(), patienceMs);
describeRegionDriver(
  'kubernetes, in the namespace of an application',
  () => clusterUnderTest({ namespaceId: 1 }),
  patienceMs,
);
