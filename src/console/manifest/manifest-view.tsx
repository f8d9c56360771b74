import '../styles/manifest.css';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import type { ApplicationManifestQuery } from '../documents/manifest.ts';
import { strings } from '../strings.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Time } from '../ui/time.tsx';
import { DownloadButton } from './download-button.tsx';
import { useDraft } from './draft.ts';
import { Editor, type EditorHandle } from './editor.tsx';
import { Workbench } from './workbench.tsx';

const text = strings.manifest;

type Application = NonNullable<ResultOf<typeof ApplicationManifestQuery>['application']>;

/** The manifest of an application, to read or to edit. */
export function ManifestView({ application }: { application: Application }) {
  const { uid: appId, name, team, region, updatedAt, manifest, manifestState } = application;
  const draft = useDraft(String(appId));
  const [isEditing, setEditing] = useState(draft.text !== undefined);
  const [, navigate] = useLocation();
  const editor = useRef<EditorHandle>(null);
  const edit = useRef<HTMLButtonElement>(null);
  // Where the focus was is gone when the page changes between reading and editing.
  const wasEditing = useRef(isEditing);
  useEffect(() => {
    if (wasEditing.current === isEditing) return;
    wasEditing.current = isEditing;
    if (isEditing) editor.current?.focus();
    else edit.current?.focus();
  }, [isEditing]);
  if (!manifest) return null;
  const person = manifestState?.appliedBy;
  const state = (
    <span className="soft small">
      {manifestState ? (
        <>
          {text.applied} <Time at={manifestState.appliedAt} />{' '}
          {person && text.by(person.nickName || person.email)}
        </>
      ) : (
        text.neverApplied
      )}
    </span>
  );
  const label = text.label(name);
  if (isEditing) {
    return (
      <Workbench
        label={label}
        place={{ team: team.name, region: region.name }}
        initial={manifest.document}
        draft={draft}
        updatedAt={updatedAt}
        mayApply={team.mayApply}
        editor={editor}
        notice={(other) =>
          other !== undefined && other !== name ? text.otherApplication(other, name) : undefined
        }
        applied={(id) => {
          draft.set(undefined);
          setEditing(false);
          if (id !== appId) navigate(`/applications/${id}`);
        }}
        stop={() => setEditing(false)}
      >
        {state}
      </Workbench>
    );
  }
  return (
    <>
      <div className="row wrap">
        {state}
        <div className="spacer" />
        <div className="row">
          <CopyButton value={manifest.document} />
          <DownloadButton name={name} document={manifest.document} />
          <button ref={edit} type="button" className="button small primary" onClick={() => setEditing(true)}>
            {text.edit}
          </button>
        </div>
      </div>
      <Editor label={label} value={manifest.document} />
      {manifest.omitted.length > 0 && (
        <Listing
          texts={{ title: text.omitted, columns: text.omittedColumns, none: '' }}
          list={{ totalCount: manifest.omitted.length, nodes: manifest.omitted }}
          keyOf={({ object, component, name }) => `${object} ${component} ${name}`}
          classes={{ reason: 'soft' }}
          cells={({ object, component, name, reason }) => ({
            object: (
              <>
                <span className="soft">{text.kinds[object]}</span> {name}
              </>
            ),
            component,
            reason,
          })}
        />
      )}
    </>
  );
}
