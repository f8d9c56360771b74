import { useId, useState } from 'react';
import { useAct } from '../../act/act.ts';
import { createForm } from '../../regions/create-form.tsx';
import { Notice } from '../../ui/blocks.tsx';
import { Select } from '../../ui/controls.tsx';
import type { Progress } from './progress.ts';
import { StepForm } from './step-form.tsx';
import { text as texts } from './strings.ts';

const text = texts.steps.region;

interface Props {
  progress: Progress;
  isFocused: boolean;
}

/** Makes a region and opens it for the team, or opens one that there is. */
export function RegionStep({ progress: { team, regions }, isFocused }: Props) {
  const [chosen, setChosen] = useState<string>();
  const [isOpening, setOpening] = useState(false);
  const [error, setError] = useState<string>();
  const openRegion = useAct('openTeamRegion');
  const id = useId();
  const current = team ? regions.find(({ uid }) => uid === (chosen ?? regions[0]?.uid)) : undefined;
  /** A region of its own is of no use to the team until it is open for it. */
  const openNew = async (payload: unknown) => {
    if (!team) return;
    const { region } = payload as { region: { uid: string } };
    setOpening(true);
    const outcome = await openRegion({ team: { teamId: team.uid }, region: { regionId: region.uid } });
    setError(outcome.failure?.message);
    setOpening(false);
  };
  if (isOpening) return <p role="status">{text.opening}</p>;
  return (
    <>
      {error && <Notice tone="bad">{error}</Notice>}
      {!team && regions.length > 0 && <Notice tone="idle">{text.exists}</Notice>}
      {team && regions.length > 0 && (
        <div className="field">
          <label htmlFor={id}>{text.existing}</label>
          <Select
            id={id}
            options={[
              ...regions.map(({ uid, alias }) => ({ value: uid, text: alias })),
              { value: '', text: text.other },
            ]}
            value={current?.uid ?? ''}
            change={setChosen}
          />
        </div>
      )}
      {team && current ? (
        <StepForm
          key={current.uid}
          draft="start open"
          isFocused={isFocused}
          action={{
            label: text.open,
            title: text.title,
            intro: text.openIntro(team.alias),
            mutation: 'openTeamRegion',
            target: { team: { teamId: team.uid }, region: { regionId: current.uid } },
          }}
        />
      ) : (
        <StepForm
          key="new"
          draft="start region"
          isFocused={isFocused}
          action={{
            label: text.action,
            title: text.title,
            intro: team ? text.introFor(team.alias) : text.intro,
            mutation: 'createRegion',
            form: createForm,
            target: {},
            done: (payload) => void openNew(payload),
          }}
        />
      )}
    </>
  );
}
