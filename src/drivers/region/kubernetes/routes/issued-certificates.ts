import type { CertificateAccess, IssuedCertificate, IssuedCertificates } from '../../issued-certificates.ts';
import { fromMemory } from '../cluster/answers.ts';
import { conditionOf } from '../objects/conditions.ts';
import { namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import { type KubernetesObject, teamSelector } from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import type { InCluster } from '../write/scopes.ts';
import { tlsName } from './http.ts';
import { issuedName } from './ingresses.ts';

const noCertManager =
  'The cluster has no cert-manager: it does not serve certificates of cert-manager.io/v1.';

/** The state of a Certificate. One that is renewed is ready until it expires. */
function stateOf(certificate: KubernetesObject): IssuedCertificate {
  const { status = {} } = certificate;
  const of = (type: string) => conditionOf(certificate, type);
  const expiresAt = status.notAfter ? new Date(status.notAfter) : null;
  if (of('Ready')?.status === 'True') return { state: 'ready', reason: null, expiresAt };
  const hasFailed = status.lastFailureTime !== undefined && of('Issuing')?.status !== 'True';
  const { message, reason } = (hasFailed ? of('Issuing') : undefined) ?? of('Ready') ?? {};
  return {
    state: hasFailed ? 'failed' : 'pending',
    reason: message || reason || 'cert-manager has not processed the certificate yet.',
    expiresAt,
  };
}

async function read(
  { connection, region, signal }: ClusterScope,
  teamId: string,
): Promise<IssuedCertificates> {
  if (!(await connection.capabilities.hasCertManager(signal))) {
    return { of: () => ({ state: 'failed', reason: noCertManager, expiresAt: null }) };
  }
  const { items } = await connection.client.list('Certificate', signal, {
    labelSelector: teamSelector(teamId),
    ...fromMemory,
  });
  const keyOf = (namespace: string | undefined, name: string) => `${namespace} ${name}`;
  const byKey = new Map(
    items.map((each) => [keyOf(each.metadata.namespace, each.metadata.name), stateOf(each)]),
  );
  return {
    of({ component, domain }) {
      const key = region.cluster.gatewayClass
        ? keyOf(namespaceIn(region, teamNamespace(component)), tlsName(domain))
        : keyOf(namespaceIn(region, component), issuedName(component, domain));
      return (
        byKey.get(key) ?? {
          state: 'pending',
          reason:
            'The certificate is requested when the component is deployed and runs, while the rule is published.',
          expiresAt: null,
        }
      );
    },
  };
}

export const issuedCertificates = (inCluster: InCluster): CertificateAccess => ({
  missing: (regionId, signal) =>
    inCluster(regionId, signal, async ({ connection }) =>
      (await connection.capabilities.hasCertManager(signal)) ? null : noCertManager,
    ),
  issued: (regionId, teamId, signal) => inCluster(regionId, signal, (scope) => read(scope, teamId)),
});
