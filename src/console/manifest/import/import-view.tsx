import '../../styles/manifest.css';
import { type DragEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Place } from '../../../convert/places.ts';
import { Notice } from '../../ui/blocks.tsx';
import { Button } from '../../ui/controls.tsx';
import { useDraft } from '../draft.ts';
import { Editor, type EditorHandle, type Mark } from '../editor.tsx';
import type { Conversion, ImportNote } from './conversion.ts';
import { FileList } from './file-list.tsx';
import { type ImportFile, pastedName, withSources } from './files.ts';
import { NoteList } from './notes.tsx';
import { readChosen, readDropped, TooMuch } from './read-files.ts';
import { text } from './strings.ts';
import { useConversion } from './use-conversion.ts';

interface Import {
  files: readonly ImportFile[];
  /** The name of the application, unless the files have one. */
  application: string;
}

const empty: Import = {
  files: [{ name: pastedName, text: '', isSource: true }],
  application: 'new-application',
};

/** Converts files of a new application to a manifest, which goes to the page that plans it. */
export function ImportView({ team }: { team: string }) {
  const stored = useDraft(`import/${team}`);
  const manifest = useDraft(`new/${team}`);
  const [, navigate] = useLocation();
  const { files, application } = useMemo<Import>(
    () => (stored.text === undefined ? empty : JSON.parse(stored.text)),
    [stored.text],
  );
  const [name, setName] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [isOver, setOver] = useState(false);
  const [target, setTarget] = useState<Place>();
  const editor = useRef<EditorHandle>(null);
  const conversion = useConversion({ files, application });
  const current = files.find((file) => file.name === name) ?? files.find(({ text }) => text !== null);

  const save = (next: Partial<Import>) => {
    const all = { files, application, ...next };
    stored.set(all.files.length > 0 ? JSON.stringify(all) : undefined);
  };
  async function add(read: () => ReturnType<typeof readDropped>): Promise<void> {
    setFailure(undefined);
    try {
      const { files: added, folder } = await read();
      const names = new Set(added.map((file) => file.name));
      const kept = files.filter((file) => file.text !== '' && !names.has(file.name));
      if (added.length > 0)
        save({ files: withSources([...kept, ...added]), ...(folder && { application: folder }) });
    } catch (error) {
      setFailure(error instanceof TooMuch ? text.tooMuch : text.unreadable);
    }
  }
  const type = (typed: string) =>
    save({ files: files.map((file) => (file === current ? { ...file, text: typed } : file)) });
  const over = (is: boolean) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(is);
    if (event.type !== 'drop') return;
    // What is dropped can be read until the event has ended.
    const reading = readDropped(event.dataTransfer);
    void add(() => reading);
  };
  const marks = useMemo(() => marksOf(conversion, current?.name), [conversion, current?.name]);
  // The file of a place may have to be opened first.
  useEffect(() => {
    if (!target || target.source !== current?.name) return;
    editor.current?.show({ ...target, path: [], message: '' });
    setTarget(undefined);
  }, [target, current?.name]);
  const show = (place: Place) => {
    setName(place.source);
    setTarget(place);
  };

  return (
    <div
      className={isOver ? 'workbench over' : 'workbench'}
      onDragOverCapture={over(true)}
      onDragLeaveCapture={over(false)}
      onDropCapture={over(false)}
    >
      <section className="workbench-text" aria-label={text.files}>
        <div className="row wrap">
          <p className="soft">{text.intro}</p>
          <div className="spacer" />
          <label className="button small">
            {text.add}
            <input
              type="file"
              className="visually-hidden"
              aria-label={text.addLabel}
              multiple
              onChange={({ target: { files: list } }) => {
                const chosen = [...(list ?? [])];
                void add(async () => ({ files: await readChosen(chosen) }));
              }}
            />
          </label>
        </div>
        {failure && <Notice tone="bad">{failure}</Notice>}
        {(files.length > 1 || files[0]?.name !== pastedName) && (
          <FileList
            files={files}
            current={current?.name ?? ''}
            open={setName}
            change={(next) => save({ files: next })}
          />
        )}
        {current && (
          <Editor
            key={current.name}
            ref={editor}
            label={text.label(current.name)}
            value={current.text ?? ''}
            change={type}
            issues={marks}
          />
        )}
      </section>
      <Result
        conversion={conversion}
        isEmpty={files.every((file) => !file.text?.trim())}
        isNamed={files.length > 1}
        isReplacing={manifest.text !== undefined}
        show={show}
        next={(document) => {
          manifest.set(document);
          navigate(`/teams/${encodeURIComponent(team)}/manifest`);
        }}
      />
    </div>
  );
}

const severities = { LOST: 'error', CHANGED: 'warning', INFO: 'info' } as const;

/** The notes at the lines of a file. */
const marksOf = (conversion: Conversion | undefined, file: string | undefined): Mark[] =>
  (conversion && 'notes' in conversion ? conversion.notes : []).flatMap(({ grade, text: message, places }) =>
    places
      .filter(({ source }) => source === file)
      .map(({ line, column }) => ({ path: [], message, line, column, severity: severities[grade] })),
  );

interface ResultProps {
  conversion: Conversion | undefined;
  isEmpty: boolean;
  isNamed: boolean;
  isReplacing: boolean;
  show(place: Place): void;
  next(manifest: string): void;
}

/** What has become of the files. */
function Result({ conversion, isEmpty, isNamed, isReplacing, show, next }: ResultProps) {
  const isDone = conversion !== undefined && 'manifest' in conversion;
  const notes: readonly ImportNote[] = isDone ? conversion.notes : [];
  const status = isEmpty ? text.nothing : conversion ? '' : text.converting;
  return (
    <section className="card workbench-plan" aria-label={text.result} aria-busy={!isEmpty && !conversion}>
      <header className="row">
        <h2>{text.result}</h2>
        <span role="status" className="soft small">
          {status}
        </span>
      </header>
      {conversion && 'failure' in conversion && !isEmpty && <Notice tone="bad">{conversion.failure}</Notice>}
      {isDone && !isEmpty && (
        <>
          <p>
            <strong>{conversion.summary}</strong>
          </p>
          {isReplacing && <p className="soft small">{text.replaces}</p>}
          <div>
            <Button look="primary" onClick={() => next(conversion.manifest)}>
              {text.next}
            </Button>
          </div>
          {notes.length === 0 && <p className="soft">{text.noNotes}</p>}
          <NoteList notes={notes} isNamed={isNamed} show={show} />
        </>
      )}
    </section>
  );
}
