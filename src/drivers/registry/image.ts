/** The name of Docker Hub in image references. It is the registry of images without a host. */
export const dockerHub = 'docker.io';

/** Other names of Docker Hub. */
const dockerHubNames = new Set(['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);

/** A registry's host in one spelling: in lower case, and Docker Hub by one name. */
export function registryHost(host: string): string {
  const lower = host.toLowerCase();
  return dockerHubNames.has(lower) ? dockerHub : lower;
}

/** The first part of a reference, if it names a host. `library/nginx` begins with a namespace of Docker Hub. */
function hostIn(image: string): string | undefined {
  const end = image.indexOf('/');
  const first = image.slice(0, Math.max(end, 0));
  return /[.:]/.test(first) || first === 'localhost' ? first : undefined;
}

/** The host of the registry of an image, with its port if it has one. */
export const registryOf = (image: string): string => registryHost(hostIn(image) ?? dockerHub);

export interface ImageReference {
  host: string;
  repository: string;
  /** A tag or a digest. */
  reference: string;
}

/**
 * An image reference in its parts; undefined if it is not valid. A digest takes precedence over a tag.
 * @see https://github.com/distribution/reference/blob/main/reference.go
 */
export function parseImage(image: string): ImageReference | undefined {
  const prefix = hostIn(image);
  const host = registryOf(image);
  const rest = prefix === undefined ? image : image.slice(prefix.length + 1);
  const match =
    /^(?<name>[a-z0-9]+(?:(?:\.|_{1,2}|-+|\/)[a-z0-9]+)*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>[a-z0-9]+:[a-fA-F0-9]{32,128}))?$/.exec(
      rest,
    );
  if (!match || !isHost(host)) return undefined;
  const { name, tag, digest } = match.groups as { name: string; tag?: string; digest?: string };
  if (name.length > 255) return undefined;
  const repository = host === dockerHub && !name.includes('/') ? `library/${name}` : name;
  return { host, repository, reference: digest ?? tag ?? 'latest' };
}

/** The digest in a reference. Undefined if it has none. */
export const digestIn = (image: string): string | undefined =>
  /@([a-z0-9]+:[a-fA-F0-9]{32,128})$/.exec(image)?.[1];

/** The tag of a reference without a digest: `latest` if it has none. */
export function tagIn(image: string): string {
  const name = image.split('@')[0]!;
  return /:(\w[\w.-]{0,127})$/.exec(name.slice(name.lastIndexOf('/') + 1))?.[1] ?? 'latest';
}

/**
 * Whether the image of a reference changes in the course of things: it has no digest, and its tag is not a version, such as
 * `1.29`, `v2` or `8-alpine`.
 */
export const isMoving = (image: string): boolean =>
  digestIn(image) === undefined && !/^v?\d+(?:[._+-]|$)/.test(tagIn(image));

/** The reference with its tag and a digest, which takes precedence. */
export const withDigest = (image: string, digest: string): string =>
  `${withTag(image, tagIn(image))}@${digest}`;

export const isTag = (text: string): boolean => /^\w[\w.-]{0,127}$/.test(text);

/** The reference with another tag, instead of its tag and digest. */
export function withTag(image: string, tag: string): string {
  const name = image.split('@')[0]!;
  const end = name.indexOf(':', name.lastIndexOf('/') + 1);
  return `${end < 0 ? name : name.slice(0, end)}:${tag}`;
}

export const isImage = (image: string): boolean => parseImage(image) !== undefined;

export const notAnImage =
  'Must be an image reference, for example `registry.example/team/web:1.0`, with a name in lower case';

/** The reference in full, as clusters resolve it. */
export const imageName = ({ host, repository, reference }: ImageReference): string =>
  `${host}/${repository}${reference.includes(':') ? '@' : ':'}${reference}`;

/** Whether a text is a host name or an address, with an optional port. */
export const isHost = (text: string): boolean =>
  text.length <= 255 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i.test(
    text,
  ) &&
  URL.canParse(`https://${text}`);
