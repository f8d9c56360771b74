import { apiVersionOf, type Kind } from './kinds.ts';
import { failure } from './status.ts';

/** What of objects a client asks for: all of them, or their metadata, of one object or of a list. */
export type Representation = 'whole' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

const served = ['application/json', 'application/*', '*/*'];
const metadataVersion = 'meta.k8s.io/v1';

/** The first representation of an `Accept` header that the server has. */
export function representationOf(accept: string | undefined): Representation {
  for (const type of (accept || '*/*').split(',')) {
    const [media, ...given] = type.split(';').map((each) => each.trim());
    const parameters = Object.fromEntries(given.map((each) => each.split('=')));
    if (!served.includes(media!)) continue;
    if (parameters.as === undefined) return 'whole';
    const isKnown = ['PartialObjectMetadata', 'PartialObjectMetadataList'].includes(parameters.as);
    if (isKnown && `${parameters.g}/${parameters.v}` === metadataVersion) return parameters.as;
  }
  throw failure(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    {},
  );
}

const notAcceptable = (asked: Representation, what: string) =>
  failure(406, 'NotAcceptable', `you requested ${asked}, but the requested object is ${what}`, {});

const partial = ({ metadata }: any) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: metadataVersion,
  metadata,
});

/** An object as it is answered, or as it is in an event of a watch. */
export function represented(object: any, as: Representation): any {
  if (as === 'PartialObjectMetadataList') throw notAcceptable(as, 'not a list type');
  return as === 'whole' ? object : partial(object);
}

/** A list as it is answered. Items of built-in kinds leave out what is the same for all of them. */
export function representedList(
  kind: Kind,
  metadata: object,
  items: readonly any[],
  as: Representation,
): any {
  if (as === 'PartialObjectMetadata') throw notAcceptable(as, 'a list');
  if (as !== 'whole') {
    return { kind: as, apiVersion: metadataVersion, metadata, items: items.map(partial) };
  }
  const itemOf = (object: any) => {
    if (kind.isCustom) return object;
    const { kind: _, apiVersion, ...item } = object;
    return item;
  };
  return { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items: items.map(itemOf) };
}
