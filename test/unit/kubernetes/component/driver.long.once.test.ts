import { kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { describeRegionDriver } from '../../../support/region-driver-contract.ts';

const withoutGateways = () =>
  kubernetesUnderTest(
    { gatewayClass: null, ingressClass: 'nginx', certificateIssuer: 'test' },
    { hasGatewayApi: false, issuers: ['test'], hasSnapshots: true },
  );

describeRegionDriver('kubernetes without Gateway API', withoutGateways);
describeRegionDriver('kubernetes without Gateway API, in the namespace of an application', async () =>
  Object.assign(await withoutGateways(), { given: { namespaceId: 1 }, isInUse: () => true }),
);
