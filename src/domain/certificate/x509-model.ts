import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { InvalidInputError, type Issue } from '../../kernel/errors.ts';
import { hostNamePattern } from '../../kernel/validate.ts';

/** The content of a valid chain and its key. */
export interface CertificateContent {
  /** Host names of the leaf, in lower case, wildcards as `*.example.com`. */
  names: string[];
  /** Distinguished name of the issuer of the leaf. @see https://www.rfc-editor.org/rfc/rfc4514 */
  issuer: string;
  expiresAt: Date;
  /** The chain in PEM, leaf first, without other text. */
  chain: string;
  /** PEM, PKCS#8. */
  key: string;
}

interface Block {
  label: string;
  lines: string[];
}

/** The longest chain, because each certificate costs a signature check. */
const maxCertificates = 10;

/**
 * The blocks of a PEM text, or undefined if there is other text between them.
 * @see https://www.rfc-editor.org/rfc/rfc7468
 */
function blocksOf(pem: string): Block[] | undefined {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const line of pem.split(/\r\n|[\r\n]/).map((each) => each.trim())) {
    if (open) {
      if (line === `-----END ${open.label}-----`) {
        blocks.push(open);
        open = undefined;
      } else open.lines.push(line);
    } else if (line !== '') {
      const label = /^-----BEGIN ([A-Z0-9 ]{1,64})-----$/.exec(line)?.[1];
      if (label === undefined) return undefined;
      open = { label, lines: [] };
    }
  }
  return open ? undefined : blocks;
}

/** The certificate in a block, or undefined if the block is anything but exactly one certificate. */
function certificateOf({ lines }: Block): X509Certificate | undefined {
  const base64 = lines.join('');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const der = Buffer.from(base64, 'base64');
  try {
    const certificate = new X509Certificate(der);
    // The parser ignores data after the certificate, which must not be stored.
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function readChain(pem: string, fail: (message: string) => void): X509Certificate[] | undefined {
  if (pem.includes('PRIVATE KEY-----')) {
    fail('Must not contain a private key. Send it in `key`');
    return undefined;
  }
  const blocks = blocksOf(pem);
  if (!blocks?.length || blocks.some(({ label }) => label !== 'CERTIFICATE')) {
    fail('Must contain only PEM certificates');
    return undefined;
  }
  if (blocks.length > maxCertificates) {
    fail(`Must be at most ${maxCertificates} certificates`);
    return undefined;
  }
  const certificates = blocks.map(certificateOf);
  for (const [index, certificate] of certificates.entries()) {
    if (!certificate) fail(`${numbered(index)} cannot be read`);
  }
  return certificates.every((each) => each !== undefined) ? certificates : undefined;
}

function readKey(pem: string, fail: (message: string) => void): KeyObject | undefined {
  // OpenSSL writes the curve parameters before the key, which also contains them.
  const blocks = blocksOf(pem)?.filter(({ label }) => label !== 'EC PARAMETERS');
  const [block] = blocks ?? [];
  if (!block || blocks?.length !== 1 || !/(^| )PRIVATE KEY$/.test(block.label)) {
    fail('Must be exactly one PEM private key');
    return undefined;
  }
  if (
    block.label.startsWith('ENCRYPTED') ||
    block.lines.some((line) => /^Proc-Type:.*ENCRYPTED/.test(line))
  ) {
    fail('Must not be encrypted. Remove the passphrase first');
    return undefined;
  }
  try {
    return createPrivateKey(
      [`-----BEGIN ${block.label}-----`, ...block.lines, `-----END ${block.label}-----`, ''].join('\n'),
    );
  } catch {
    // The library's message could quote the key.
    fail('The private key cannot be read');
    return undefined;
  }
}

const numbered = (index: number) => (index === 0 ? 'The first certificate' : `Certificate ${index + 1}`);

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function fits(leaf: X509Certificate, key: KeyObject): boolean {
  try {
    return leaf.checkPrivateKey(key);
  } catch {
    return false;
  }
}

function checkChain(chain: X509Certificate[], now: Date, fail: (message: string) => void): void {
  for (const [index, certificate] of chain.entries()) {
    const next = chain[index + 1];
    if (next && (certificate.raw.equals(next.raw) || !isIssuedBy(certificate, next))) {
      fail(
        `${numbered(index)} is not issued by the certificate after it. Put the leaf first, and after each certificate its issuer`,
      );
    }
    const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
    if (!(from <= now)) fail(`${numbered(index)} is not valid before ${timeText(from)}`);
    // Negated, so that an unparsable time counts as expired.
    if (!(to >= now)) fail(`${numbered(index)} expired at ${timeText(to)}`);
  }
}

const timeText = (time: Date) => (Number.isNaN(time.getTime()) ? 'an unknown time' : time.toISOString());

const hostName = hostNamePattern({ wildcard: true });

const isHostName = (name: string) => name.length <= 253 && hostName.test(name) && isIP(name) === 0;

/**
 * The DNS names in the text form of a subjectAltName: `DNS:a.example, URI:"x, DNS:b"`. Ambiguous values
 * are quoted, so the text is parsed from its start, one value at a time.
 */
function alternativeNames(text: string): string[] {
  const names: string[] = [];
  for (const [, kind, value] of text.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy)) {
    if (kind === 'DNS') names.push(value!);
  }
  return names;
}

/** The host names of a leaf certificate. The common name is only used if there are no alternative names. */
function hostNames({ subjectAltName, subject }: X509Certificate): string[] {
  const names =
    subjectAltName !== undefined
      ? alternativeNames(subjectAltName)
      : [...(subject ?? '').matchAll(/^CN=(.*)$/gm)].map((match) => match[1]!).slice(-1);
  return [...new Set(names.map((name) => name.toLowerCase()).filter(isHostName))];
}

/** Parses and validates a PEM chain and its key. Throws INVALID_INPUT with all issues. */
export function readCertificate(chainPem: string, keyPem: string, now: Date): CertificateContent {
  const issues: Issue[] = [];
  const at = (field: string) => (message: string) => {
    issues.push({ path: ['input', field], message });
  };
  const chain = readChain(chainPem, at('chain'));
  const leaf = chain?.[0];
  if (chain) checkChain(chain, now, at('chain'));
  const names = leaf ? hostNames(leaf) : [];
  if (leaf && names.length === 0) at('chain')('The first certificate has no host name');
  const key = readKey(keyPem, at('key'));
  if (leaf && key && !fits(leaf, key)) at('key')('Does not match the first certificate of the chain');
  if (issues.length > 0 || !chain || !key || !leaf) throw new InvalidInputError(issues);
  return {
    names,
    // The library lists one part per line, starting with the country.
    issuer: (leaf.issuer ?? '').split('\n').reverse().join(', '),
    expiresAt: new Date(leaf.validTo),
    chain: chain.map(String).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/**
 * Whether the names of a certificate cover a domain. A wildcard matches exactly one label, the left-most;
 * a wildcard domain is only covered by the same wildcard.
 * @see https://www.rfc-editor.org/rfc/rfc6125#section-6.4.3
 */
export function covers(names: readonly string[], domain: string): boolean {
  const host = domain.toLowerCase();
  const dot = host.indexOf('.');
  const wildcard = dot > 0 ? `*${host.slice(dot)}` : undefined;
  return names.some((each) => {
    const name = each.toLowerCase();
    return name === host || name === wildcard;
  });
}
