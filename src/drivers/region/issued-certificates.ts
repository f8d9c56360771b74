import type { ComponentIdentity, DesiredHttpRule } from './desired.ts';

/** The certificate of a rule that comes from the cluster. */
export interface IssuedCertificate {
  state: 'pending' | 'ready' | 'failed';
  /** Why it is not ready. */
  reason: string | null;
  expiresAt: Date | null;
}

/** The certificates that the rules of a team have from the cluster. */
export interface IssuedCertificates {
  of(rule: {
    component: Pick<ComponentIdentity, 'clusterName' | 'teamId' | 'namespaceId'>;
    domain: DesiredHttpRule['domain'];
  }): IssuedCertificate;
}

/** A look at certificates that come from the cluster, for regions with an issuer. */
export interface CertificateAccess {
  /** Why the cluster cannot issue a certificate for any rule. Null if it can. */
  missing(regionId: string, signal: AbortSignal): Promise<string | null>;
  issued(regionId: string, teamId: string, signal: AbortSignal): Promise<IssuedCertificates>;
}
