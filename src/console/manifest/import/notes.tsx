import type { Grade } from '../../../convert/claims.ts';
import type { Place } from '../../../convert/places.ts';
import { Tag, type Tone } from '../../ui/status.tsx';
import type { ImportNote } from './conversion.ts';
import { text } from './strings.ts';

const tones: Readonly<Record<Grade, Tone>> = { LOST: 'bad', CHANGED: 'warn', INFO: 'idle' };

interface Props {
  notes: readonly ImportNote[];
  /** Whether there are several files, so that their names are told. */
  isNamed: boolean;
  show(place: Place): void;
}

/** What does not come over as it is, by how much it matters. A note leads to the lines that it is about. */
export const NoteList = ({ notes, isNamed, show }: Props) =>
  Object.entries(text.grades).map(([grade, title]) => {
    const own = notes.filter((note) => note.grade === grade);
    if (own.length === 0) return null;
    return (
      <section key={grade} className="import-notes">
        <h3>
          <Tag tone={tones[grade as Grade]}>{grade}</Tag> {title}
        </h3>
        <ul className="problems">
          {own.map((note) => (
            <li key={note.text}>
              {note.text}{' '}
              {note.places.map((place) => (
                <button
                  key={`${place.source} ${place.line}`}
                  type="button"
                  className="link"
                  onClick={() => show(place)}
                >
                  {isNamed ? text.placeIn(place.source, place.line) : text.place(place.line)}
                </button>
              ))}
            </li>
          ))}
        </ul>
      </section>
    );
  });
