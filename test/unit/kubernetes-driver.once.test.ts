import { clusterUnderTest, kubernetesUnderTest } from '../support/kubernetes/driver.ts';
import { describeRegionDriver } from '../support/region-driver-contract.ts';

// By a kubeconfig, which can be that of a real cluster: see docs/kubernetes.md.
describeRegionDriver('kubernetes', clusterUnderTest);

describeRegionDriver('kubernetes without Gateway API', () =>
  kubernetesUnderTest({ gatewayClass: null, ingressClass: 'nginx' }, { hasGatewayApi: false }),
);
