const blocks = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** The certificates in a text, the leaf first and each before its issuer, and the private keys. */
export function sortPem(text: string): { certificates: string[]; keys: string[] } {
  const certificates: string[] = [];
  const keys: string[] = [];
  for (const [block, label] of text.matchAll(blocks)) {
    if (label === 'CERTIFICATE') certificates.push(block);
    if (label!.endsWith('PRIVATE KEY')) keys.push(block);
  }
  return { certificates: inOrder([...new Set(certificates)]), keys };
}

/** The input from the two fields. A text without certificates is sent as it is: the server says what is wrong with it. */
export function inputOfPem(certificate: string, key: string): { chain: string; key: string } {
  const { certificates, keys } = sortPem(certificate);
  return {
    chain: certificates.length > 0 ? `${certificates.join('\n')}\n` : certificate,
    key: keys.length > 0 ? `${keys.join('\n')}\n` : key,
  };
}

/** The leaf is the issuer of no other. Those that cannot be read stay where they are. */
function inOrder(certificates: string[]): string[] {
  const entries = certificates.map((pem) => ({ pem, names: namesIn(pem) }));
  const isRead = (each: (typeof entries)[number]): each is { pem: string; names: Names } =>
    Boolean(each.names);
  if (!entries.every(isRead)) return certificates;
  const rest = [...entries];
  const leaf = rest.find(
    ({ names }) => !rest.some((other) => other.names !== names && other.names.issuer === names.subject),
  );
  const ordered: string[] = [];
  for (let next = leaf; next; ) {
    ordered.push(next.pem);
    rest.splice(rest.indexOf(next), 1);
    const { issuer } = next.names;
    next = rest.find(({ names }) => names.subject === issuer);
  }
  return [...ordered, ...rest.map(({ pem }) => pem)];
}

interface Names {
  issuer: string;
  subject: string;
}

/**
 * The DER of the issuer and of the subject of a certificate.
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
function namesIn(pem: string): Names | undefined {
  try {
    const der = Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, '')), (each) => each.charCodeAt(0));
    const certificate = elementAt(der, 0);
    const signed = elementAt(der, certificate.start);
    const first = elementAt(der, signed.start);
    const serial = first.tag === versionTag ? elementAt(der, first.end) : first;
    const algorithm = elementAt(der, serial.end);
    const issuer = elementAt(der, algorithm.end);
    const validity = elementAt(der, issuer.end);
    const subject = elementAt(der, validity.end);
    const textOf = ({ start, end }: Element) => der.slice(start, end).join();
    return { issuer: textOf(issuer), subject: textOf(subject) };
  } catch {
    return undefined;
  }
}

const versionTag = 0xa0;

interface Element {
  tag: number;
  /** Where its content is. */
  start: number;
  end: number;
}

/** The element of DER that begins at a position. A length of 128 and more has the number of its bytes first. */
function elementAt(der: Uint8Array, at: number): Element {
  const byte = (index: number) => {
    const value = der[index];
    if (value === undefined) throw new RangeError('The DER ends too early.');
    return value;
  };
  const tag = byte(at);
  let length = byte(at + 1);
  let start = at + 2;
  if (length >= 0x80) {
    const bytes = length - 0x80;
    length = 0;
    for (let index = 0; index < bytes; index++) length = length * 256 + byte(start + index);
    start += bytes;
  }
  return { tag, start, end: start + length };
}
