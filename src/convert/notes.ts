import type { Grade, Note } from './claims.ts';

/** With as many lines, one reads them all. */
const maxLines = 30;
const maxListed = 8;

const grades: readonly Grade[] = ['LOST', 'CHANGED', 'INFO'];

const isDecision = ({ grade }: Note) => grade !== 'INFO';

/** Whether somebody has to look at it: something would be lost or changed. */
export const needDecision = (notes: readonly Note[]): boolean => notes.some(isDecision);

const listed = (names: Iterable<string>, most = maxListed) => {
  const all = [...new Set(names)];
  const rest = all.length - most;
  return rest > 1 ? `${all.slice(0, most).join(', ')} and ${rest} more` : all.join(', ');
};

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** What can be relied on, in one line: how many of the subjects need a decision, and which. */
export function summaryOf(notes: readonly Note[], subjects: number, word: string): string {
  const undecided = new Set(notes.filter(isDecision).map(({ subject }) => subject));
  const isAboutAll = undecided.delete(null);
  const head = counted(subjects, word);
  if (undecided.size === 0)
    return isAboutAll ? `${head}, and the file needs a decision` : `${head}, none needs a decision`;
  const verb = undecided.size === 1 ? 'needs' : 'need';
  return `${head}, ${undecided.size} ${verb} a decision: ${listed(undecided as Set<string>)}`;
}

/** The notes with one grade, path and reason. */
export type NoteGroup = [Note, ...Note[]];

/** The notes by what they say, the weightiest first. */
export function groupsOf(notes: readonly Note[]): NoteGroup[] {
  const groups = new Map<string, NoteGroup>();
  for (const note of notes.toSorted((a, b) => grades.indexOf(a.grade) - grades.indexOf(b.grade))) {
    const name = JSON.stringify([note.grade, note.key, note.reason]);
    const group = groups.get(name);
    if (group) group.push(note);
    else groups.set(name, [note]);
  }
  return [...groups.values()];
}

/** What a group is about, why, and the names that it is about. */
export function wordsOf(group: NoteGroup): string {
  const [{ key, reason }] = group;
  const subjects = listed(group.flatMap(({ subject }) => subject ?? []));
  const details = listed(group.flatMap(({ detail }) => detail ?? []));
  const about = [subjects, key].filter(Boolean).join(': ');
  return `${about}: ${reason}${details && ` (${details})`}`;
}

/** The notes as lines, those with one reason together, and the weightiest first. Lines that are too many become one. */
export function linesOf(notes: readonly Note[], most = maxLines - 1): string[] {
  const all = groupsOf(notes);
  const shown = all.length > most ? all.slice(0, most - 1) : all;
  const lines = shown.map((group) => `${group[0].grade.padEnd(7)}  ${wordsOf(group)}`);
  const rest = all.slice(shown.length);
  if (rest.length === 0) return lines;
  const [{ grade }] = rest[0]!;
  const keys = listed(
    rest.map(([{ key }]) => key),
    40,
  );
  return [...lines, `${grade.padEnd(7)}  ${rest.length} more, which --json shows: ${keys}`];
}
