import { stringify } from 'yaml';
import type { Grade } from '../../../convert/claims.ts';
import { convertCompose } from '../../../convert/compose/convert.ts';
import { filesOf } from '../../../convert/files.ts';
import { convertKubernetes } from '../../../convert/kubernetes/manifest.ts';
import { groupsOf, summaryOf, wordsOf } from '../../../convert/notes.ts';
import { type Place, placesIn } from '../../../convert/places.ts';
import { InputError } from '../../../convert/yaml.ts';
import { formatOf, type ImportFile, type Source, sourcesOf } from './files.ts';

/** Notes that say the same. */
export interface ImportNote {
  grade: Grade;
  text: string;
  /** Where the first parts are that it is about. */
  places: Place[];
}

/** What has become of the files, or why they cannot be converted. */
export type Conversion = { manifest: string; summary: string; notes: ImportNote[] } | { failure: string };

const maxPlaces = 8;

/** Converts the files to a manifest. */
export function conversionOf(files: readonly ImportFile[], application: string): Conversion {
  const sources = sourcesOf(files);
  try {
    const { manifest, notes, count, word } = convert(files, sources, application);
    const placeOf = placesIn(sources);
    return {
      manifest: stringify(manifest, { lineWidth: 0 }),
      summary: summaryOf(notes, count, word),
      notes: groupsOf(notes).map((group) => ({
        grade: group[0].grade,
        text: wordsOf(group),
        places: distinct(group.flatMap((note) => placeOf(note) ?? [])).slice(0, maxPlaces),
      })),
    };
  } catch (error) {
    if (error instanceof InputError) return { failure: error.message };
    throw error;
  }
}

function convert(files: readonly ImportFile[], sources: readonly Source[], application: string) {
  if (formatOf(files) === 'KUBERNETES')
    return { ...convertKubernetes({ sources, application }), word: 'object' };
  const converted = convertCompose({
    sources,
    files: filesOf(Object.fromEntries(files.map(({ name, text }) => [name, text]))),
    env: {},
    folderName: application,
  });
  return { ...converted, count: Object.keys(converted.manifest.components).length, word: 'service' };
}

const distinct = (places: readonly Place[]) => [
  ...new Map(places.map((place) => [`${place.source} ${place.line}`, place])).values(),
];
