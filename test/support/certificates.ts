import { createPrivateKey, webcrypto } from 'node:crypto';

// The library's injector asks for the metadata half of a decorator proposal that engines do not have.
const metadata = new WeakMap<object, Map<unknown, unknown>>();
const define = (key: unknown, value: unknown, target: object) => {
  metadata.set(target, (metadata.get(target) ?? new Map()).set(key, value));
};
const own = (key: unknown, target: object) => metadata.get(target)?.get(key);
Object.assign(Reflect, {
  defineMetadata: define,
  getOwnMetadata: own,
  getMetadata(key: unknown, target: object) {
    for (let each: object | null = target; each; each = Object.getPrototypeOf(each) as object | null) {
      if (metadata.get(each)?.has(key)) return own(key, each);
    }
    return undefined;
  },
  metadata: (key: unknown, value: unknown) => (target: object) => define(key, value, target),
});
// Only now can it be loaded.
const x509 = await import('@peculiar/x509');
x509.cryptoProvider.set(webcrypto as never);

const algorithms = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
};

/** A certificate and its key, both PEM. */
export interface Issued {
  pem: string;
  key: string;
  /** Distinguished name of the subject. */
  subject: string;
  keys: webcrypto.CryptoKeyPair;
  algorithm: keyof typeof algorithms;
}

export interface IssueOptions {
  /** Who signs it; it signs itself when left out. */
  issuer?: Issued;
  /** Host names of the subjectAltName; no such extension when left out. */
  names?: string[];
  /** Other entries of the subjectAltName. */
  others?: { type: 'ip' | 'url' | 'email'; value: string }[];
  /** Distinguished name; one of its own when left out. */
  subject?: string;
  isAuthority?: boolean;
  from?: Date;
  until?: Date;
  algorithm?: keyof typeof algorithms;
  /** The key pair; a new one when left out. */
  keys?: webcrypto.CryptoKeyPair;
}

export const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000);

let count = 0;

/** A real certificate, signed for real. */
export async function issue(options: IssueOptions = {}): Promise<Issued> {
  const algorithm = options.algorithm ?? 'ec';
  const keys =
    options.keys ??
    ((await webcrypto.subtle.generateKey(algorithms[algorithm], true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair);
  const subject = options.subject ?? `CN=Subject ${++count}, O=Trellis`;
  const signer = options.issuer ?? { keys, subject, algorithm };
  const names = [
    ...(options.names ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(options.others ?? []),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (++count).toString(16).padStart(4, '0'),
    subject,
    issuer: signer.subject,
    publicKey: keys.publicKey as never,
    signingKey: signer.keys.privateKey as never,
    signingAlgorithm: algorithms[signer.algorithm],
    notBefore: options.from ?? daysFromNow(-1),
    notAfter: options.until ?? daysFromNow(30),
    extensions: [
      new x509.BasicConstraintsExtension(options.isAuthority ?? false, undefined, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
      await x509.AuthorityKeyIdentifierExtension.create(signer.keys.publicKey as never),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  return {
    pem: `${certificate.toString('pem')}\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    subject,
    keys,
    algorithm,
  };
}

/** A root, an intermediate that it signed, and a leaf that this one signed. */
export async function issueChain(
  names: string[],
  options: Omit<IssueOptions, 'issuer' | 'names'> = {},
): Promise<{ root: Issued; intermediate: Issued; leaf: Issued; chain: string; key: string }> {
  const { algorithm } = options;
  const root = await issue({ isAuthority: true, algorithm });
  const intermediate = await issue({ isAuthority: true, algorithm, issuer: root });
  const leaf = await issue({ ...options, issuer: intermediate, names });
  return { root, intermediate, leaf, chain: leaf.pem + intermediate.pem + root.pem, key: leaf.key };
}
