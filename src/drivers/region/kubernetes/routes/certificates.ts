import type { ClusterSettings } from '../../clusters.ts';
import type { DesiredHttpRule } from '../../desired.ts';
import type { KubernetesObject } from '../objects/objects.ts';

export type IssuerSettings = Pick<ClusterSettings, 'certificateIssuer'>;

/** Whether the cluster provides the certificate of a rule. One of its own comes first. */
export const isIssued = (
  { autoSsl, certificate }: Pick<DesiredHttpRule, 'autoSsl' | 'certificate'>,
  { certificateIssuer }: IssuerSettings,
): boolean => autoSsl && certificate === null && certificateIssuer !== null;

/** Whether requests of a rule are encrypted. */
export const isSecured = (
  rule: Pick<DesiredHttpRule, 'autoSsl' | 'certificate'>,
  settings: IssuerSettings,
): boolean => rule.certificate !== null || isIssued(rule, settings);

/** `letsencrypt`, `ClusterIssuer/letsencrypt` or `Issuer/letsencrypt`, as an object refers to it. */
function issuerRefOf(issuer: string) {
  const [kind, name] = issuer.includes('/')
    ? (issuer.split('/') as [string, string])
    : ['ClusterIssuer', issuer];
  return { group: 'cert-manager.io', kind, name };
}

/** A request for the certificate of a domain. The Secret that cert-manager makes for it has the same name. */
export const certificateRequest = (
  metadata: KubernetesObject['metadata'],
  domain: string,
  issuer: string,
): KubernetesObject => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata,
  spec: { secretName: metadata.name, dnsNames: [domain], issuerRef: issuerRefOf(issuer) },
});
