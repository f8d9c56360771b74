import type { ClusterSettings } from '../../clusters.ts';
import type { DesiredHttpRule } from '../../desired.ts';
import type { Client } from '../cluster/client.ts';
import type { KubernetesObject } from '../objects/objects.ts';

/** The annotation of the Secrets that cert-manager makes with the name of their Certificate. */
const certificateName = 'cert-manager.io/certificate-name';

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

/** Whether cert-manager has made a Secret for the Certificate of the same name. */
export const isIssuedSecret = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Secret' && metadata.annotations?.[certificateName] === metadata.name;

/** Removes the Secret of a Certificate that is gone, which cert-manager leaves. */
async function removeIssuedSecret(
  client: Client,
  { metadata: { namespace, name } }: Pick<KubernetesObject, 'metadata'>,
  signal: AbortSignal,
): Promise<void> {
  const object = await client.read('Secret', namespace, name, signal);
  const secret = object && { ...object, kind: 'Secret' };
  if (secret && isIssuedSecret(secret)) await client.remove(secret, signal);
}

/** Removes an object, and a Certificate with its Secret. */
export async function removeWhole(
  client: Client,
  object: KubernetesObject,
  signal: AbortSignal,
  options: Parameters<Client['remove']>[2] = {},
): Promise<boolean> {
  const wasExpected = await client.remove(object, signal, options);
  if (wasExpected && object.kind === 'Certificate') await removeIssuedSecret(client, object, signal);
  return wasExpected;
}
