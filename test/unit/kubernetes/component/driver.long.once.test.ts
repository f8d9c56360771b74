import { kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { describeRegionDriver } from '../../../support/region-driver-contract.ts';

describeRegionDriver('kubernetes without Gateway API', () =>
  kubernetesUnderTest(
    { gatewayClass: null, ingressClass: 'nginx', certificateIssuer: 'test' },
    { hasGatewayApi: false, issuers: ['test'] },
  ),
);
