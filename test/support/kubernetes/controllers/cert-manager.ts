import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Ninety days. */
const lifeMs = 90 * 24 * 60 * 60 * 1_000;

const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: now(),
});

const textOf = (conditions: any[] = []) =>
  conditions.map(({ type, status, reason, message }) => [type, status, reason, message].join()).join();

/** What a Certificate that is not issued says. Orders of an issuer whose name starts with `refusing` fail. */
function waiting(isRefused: boolean): any {
  const missing = 'Issuing certificate as Secret does not exist';
  const ready = condition('Ready', 'False', 'DoesNotExist', missing);
  if (!isRefused) return { conditions: [ready, condition('Issuing', 'True', 'DoesNotExist', missing)] };
  const why = 'The certificate request has failed to complete and will be retried: Failed to wait for order';
  return {
    conditions: [ready, condition('Issuing', 'False', 'Failed', why)],
    lastFailureTime: now(),
  };
}

/** Issues certificates by `issuers`, at once, as cert-manager does. Those of others wait, because their issuer is not there. */
export function runCertManager(store: Store, issuers: readonly string[]): void {
  const kind = kindNamed('Certificate');
  for (const certificate of store.list(kind)) {
    const { metadata, spec, status = {} } = certificate;
    const { namespace } = metadata;
    const { kind: issuerKind = 'Issuer', name: issuer } = spec.issuerRef;
    const secret = store.get(kindNamed('Secret'), namespace, spec.secretName)?.object;
    const marks = {
      'cert-manager.io/certificate-name': metadata.name,
      'cert-manager.io/alt-names': spec.dnsNames.join(),
      'cert-manager.io/issuer-kind': issuerKind,
      'cert-manager.io/issuer-name': issuer,
    };
    const has = secret?.metadata.annotations ?? {};
    const isMade = Object.entries(marks).every(([name, value]) => has[name] === value);
    const canIssue = issuers.includes(issuer);
    if (!isMade && canIssue) {
      store.put('Secret', {
        ...secret,
        type: 'kubernetes.io/tls',
        metadata: {
          ...secret?.metadata,
          name: spec.secretName,
          namespace,
          annotations: { ...has, ...marks },
        },
        data: { 'tls.crt': base64(`certificate of ${spec.dnsNames[0]}`), 'tls.key': base64('key') },
      });
    }
    const next =
      isMade || canIssue
        ? {
            conditions: [
              condition('Ready', 'True', 'Ready', 'Certificate is up to date and has not expired'),
            ],
            notAfter: `${new Date(Date.now() + lifeMs).toISOString().slice(0, 19)}Z`,
            revision: 1,
          }
        : waiting(issuer.startsWith('refusing'));
    if (textOf(status.conditions) !== textOf(next.conditions)) {
      store.save(kind, { ...certificate, status: next });
    }
  }
}
