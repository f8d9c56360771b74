import '../styles/manifest.css';
import { useEffect, useId, useRef } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { ResultOf } from '../api/graphql.ts';
import type { NewManifestQuery } from '../documents/manifest.ts';
import { strings } from '../strings.ts';
import { Select } from '../ui/controls.tsx';
import { setParam } from '../ui/set-param.ts';
import { useDraft } from './draft.ts';
import type { EditorHandle } from './editor.tsx';
import { Workbench } from './workbench.tsx';

const text = strings.manifest;

type Team = NonNullable<ResultOf<typeof NewManifestQuery>['team']>;

/** A manifest of an application that does not exist yet. Its region is in the address. */
export function NewManifestView({ team }: { team: Team }) {
  const id = useId();
  const draft = useDraft(`new/${team.name}`);
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const editor = useRef<EditorHandle>(null);
  // The button that discards what was typed is gone with it.
  const isTyped = draft.text !== undefined;
  const wasTyped = useRef(isTyped);
  useEffect(() => {
    if (wasTyped.current && !isTyped) editor.current?.focus();
    wasTyped.current = isTyped;
  }, [isTyped]);
  const regions = team.regions.nodes;
  const region = regions.find(({ name }) => name === params.get('region')) ?? regions[0]!;
  return (
    <Workbench
      label={text.newLabel}
      place={{ team: team.name, region: region.name }}
      initial={text.example}
      draft={draft}
      updatedAt=""
      mayApply={team.mayApply}
      editor={editor}
      notice={(name, { changes }) =>
        changes.some(({ object, action }) => object === 'APPLICATION' && action === 'CREATE')
          ? undefined
          : text.exists(name ?? '')
      }
      applied={(appId) => {
        draft.set(undefined);
        navigate(`/applications/${appId}`);
      }}
    >
      <label className="check" htmlFor={id}>
        {text.region}
        <Select
          id={id}
          options={regions.map(({ name, alias }) => ({ value: name, text: alias }))}
          value={region.name}
          change={(name) => setParam(setParams)('region', name)}
        />
      </label>
    </Workbench>
  );
}
