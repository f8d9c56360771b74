import { useState } from 'react';
import type { Values } from '../../form/values.ts';
import { InstallDialog } from '../../store/install.tsx';
import { Button } from '../../ui/controls.tsx';
import type { Progress, StepName } from './progress.ts';
import { RegionStep } from './region-step.tsx';
import { StepForm } from './step-form.tsx';
import { text } from './strings.ts';
import { teamForm } from './team-form.ts';

interface Props {
  progress: Progress;
  isFocused: boolean;
}

function TeamStep({ isFocused }: Props) {
  const { title, intro, action: label } = text.steps.team;
  return (
    <StepForm
      draft="start team"
      isFocused={isFocused}
      action={{ label, title, intro, mutation: 'createTeam', form: teamForm, target: {} }}
    />
  );
}

function ApplicationStep({ progress: { team }, isFocused }: Props) {
  const texts = text.steps.application;
  const regions = team?.regions.nodes ?? [];
  if (!team || regions.length === 0) return <p className="soft">{texts.needs}</p>;
  return (
    <StepForm
      draft="start application"
      isFocused={isFocused}
      action={{
        label: texts.action,
        title: texts.title,
        intro: texts.intro(team.alias),
        mutation: 'createApplication',
        form: {
          first: ['name', 'region'],
          hints: {},
          fields: {
            region: {
              ref: 'regionId',
              kind: 'select',
              value: regions[0]!.uid,
              options: regions.map(({ uid, alias }) => ({ value: uid, text: alias })),
            },
          },
        },
        target: { team: { teamId: team.uid } },
      }}
    />
  );
}

/** `registry.example/shop/web:1.0` as `web`. */
const nameOf = (image: string) =>
  image
    .split('@')[0]!
    .replace(/:[^/:]*$/, '')
    .split('/')
    .at(-1)!;

const componentForm = (values: Values) => {
  const texts = text.steps.component;
  return {
    first: ['image', 'name', 'deploy'] as const,
    more: ['replicas', 'cpuMillicores', 'memoryMiB', 'variables'],
    fields: {
      image: { label: texts.image, hint: texts.imageHint },
      name: { label: texts.name, hint: undefined, value: nameOf(String(values.image ?? '')) },
      deploy: { label: texts.deploy, hint: undefined, value: true },
    },
  };
};

function ComponentStep({ progress: { team, application }, isFocused }: Props) {
  const texts = text.steps.component;
  const [isInstalling, setInstalling] = useState(false);
  if (!team || !application) return <p className="soft">{texts.needs}</p>;
  return (
    <>
      <StepForm
        draft="start component"
        isFocused={isFocused}
        action={{
          label: texts.action,
          title: texts.title,
          intro: texts.intro(application.name),
          mutation: 'createComponent',
          form: componentForm,
          target: { application: { appId: application.uid } },
        }}
      >
        <Button onClick={() => setInstalling(true)}>{texts.install}</Button>
      </StepForm>
      {isInstalling && (
        <InstallDialog
          application={{ ...application, team }}
          team={team}
          close={() => setInstalling(false)}
        />
      )}
    </>
  );
}

export const stepForms: Record<StepName, (props: Props) => React.ReactNode> = {
  team: TeamStep,
  region: RegionStep,
  application: ApplicationStep,
  component: ComponentStep,
};
