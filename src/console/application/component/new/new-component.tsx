import { type FormEvent, type ReactNode, useEffect, useId } from 'react';
import { Link } from 'wouter';
import { FailureNotice } from '../../../act/dialog.tsx';
import { Dialog } from '../../../act/dialog-frame.tsx';
import { JobProgress } from '../../../act/progress.tsx';
import { useDraft } from '../../../form/draft.ts';
import type { Failure } from '../../../form/failure.ts';
import { FormFields, issuesOf } from '../../../form/fields.tsx';
import { type Field, initialOf, type Value, type Values } from '../../../form/values.ts';
import { strings } from '../../../strings.ts';
import { Notice } from '../../../ui/blocks.tsx';
import { Button, Check } from '../../../ui/controls.tsx';
import { text } from '../../strings.ts';
import { nameOfImage, protocolsOf } from '../image/image.ts';
import { ImageNote } from '../image/image-note.tsx';
import { type ImageCheck, useImageCheck } from '../image/use-image-check.ts';
import { useComponents } from '../use-components.ts';
import { useVariableEditor, VariableFields } from '../variables/editor.tsx';
import { changesOf, type Edits, noEdits, withoutSecrets } from '../variables/edits.ts';
import { newComponentForm, portsOf } from './new-component-fields.ts';
import { useCreate } from './use-create.ts';

const texts = text.component;

interface Props {
  application: { uid: number; name: string; team: { id: string; name: string } };
  draft: string;
  close(): void;
}

export function NewComponentDialog({ application, draft: draftName, close }: Props) {
  const { uid: appId, team } = application;
  const id = useId();
  const draft = useDraft(draftName);
  const components = useComponents(appId);
  const stored = draft.values.edits;
  const editor = useVariableEditor([], stored ? (JSON.parse(String(stored)) as Edits) : noEdits);
  const creation = useCreate();
  const { uid, failure, isBusy } = creation;

  const image = String(draft.values.image ?? '');
  const check = useImageCheck(team, image);
  // Typed values win over those derived from the image.
  const typed = { name: nameOfImage(image), ports: exposedOf(check), ...draft.values };
  const form = newComponentForm(typed, components ?? []);
  const fields = [
    ...form.image,
    ...form.name,
    ...form.ports,
    ...form.volumes,
    ...form.resources,
    ...form.more,
  ];
  const values: Values = {
    deploy: true,
    ...initialOf([...fields, ...form.probe, ...form.dependencies]),
    ...typed,
  };
  const { input, count, added } = changesOf([], editor.edits);
  const kept = count > 0 ? JSON.stringify(withoutSecrets([], editor.edits)) : undefined;
  const change = (name: string, value: Value) => draft.setValues((before) => ({ ...before, [name]: value }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is stored as it changes
  useEffect(() => {
    if (kept) change('edits', kept);
  }, [kept]);

  const ports = portsOf(values);
  const deploy = values.deploy === true;
  const leave = () => {
    draft.forget();
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = newComponentForm(values, components ?? []).input();
    void creation.run({
      input: {
        ...wanted,
        application: { appId },
        image: image.trim(),
        name: String(values.name),
        ...(count > 0 && { variables: input.set }),
      },
      ports,
      deploy,
    });
  };
  const variableIssue = (name: string) => {
    const index = input.set.findIndex((each) => each.name === name);
    return failure?.issues.find(({ path }) => index >= 0 && path.join('.').includes(`variables.${index}.`))
      ?.message;
  };
  const view = (shown: readonly Field[]) => (
    <FormFields id={id} fields={shown} values={values} failure={failure} change={change} />
  );
  const fold = (title: string, shown: readonly Field[]) => (
    <Folded title={title} isOpen={hasIssue(shown, failure)}>
      {view(shown)}
    </Folded>
  );
  const open = uid !== undefined && (
    <Link className="button" href={`/components/${uid}`} onClick={leave}>
      {texts.open}
    </Link>
  );
  if (creation.isDone) {
    return (
      <Dialog title={texts.title(application.name)} isWide close={leave}>
        {creation.job === undefined ? (
          <Notice tone="good">{texts.done}</Notice>
        ) : (
          <JobProgress uid={creation.job} />
        )}
        <footer>
          {open}
          <Button look="primary" onClick={leave}>
            {strings.common.close}
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.title(application.name)} isWide close={leave}>
      <form name="createComponent" onSubmit={submit}>
        {draft.isRestored && <Notice tone="idle">{strings.form.restored}</Notice>}
        {uid === undefined ? (
          <>
            {view(form.image)}
            <ImageNote team={team} image={image} check={check} />
            {view([...form.name, ...form.ports])}
            <fieldset className="field">
              <legend>{text.labels.variables}</legend>
              <VariableFields name={String(values.name)} editor={editor} issueOf={variableIssue} />
            </fieldset>
            {fold(text.labels.volumes, form.volumes)}
            {fold(text.labels.resources, form.resources)}
            {fold(text.labels.healthCheck, form.probe)}
            {fold(text.labels.dependencies, form.dependencies)}
            {fold(text.labels.more, form.more)}
          </>
        ) : (
          <>
            <Notice tone="warn">{texts.madePart(String(values.name))}</Notice>
            {view(form.ports)}
          </>
        )}
        <Check
          label={text.labels.deploy}
          checked={deploy}
          change={(isChecked) => change('deploy', isChecked)}
        />
        {values.name !== '' && uid === undefined && (
          <p className="small">
            {texts.summary(
              String(values.name),
              [
                ports.length > 0 && texts.ports(ports.length),
                added.length > 0 && texts.variables(added.length),
                Array.isArray(values.volumes) &&
                  values.volumes.length > 0 &&
                  texts.volumes(values.volumes.length),
              ].filter((part) => part !== false),
              deploy,
            )}
          </p>
        )}
        {failure && hasRest(failure, [...fields, ...form.probe, ...form.dependencies]) && (
          <FailureNotice failure={failure} />
        )}
        <footer>
          <Link className="small" href={`/applications/${appId}/manifest`} onClick={leave}>
            {texts.manifest}
          </Link>
          <div className="spacer" />
          {open}
          <Button onClick={leave}>{uid === undefined ? strings.common.cancel : strings.common.close}</Button>
          <button
            type="submit"
            className="button primary"
            disabled={isBusy || editor.errors.length > 0 || image.trim() === ''}
          >
            {uid === undefined ? texts.create : texts.goOn}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The ports that an image says it listens on, as rows of the form. */
const exposedOf = (check: ImageCheck | undefined) =>
  protocolsOf(check?.found?.exposedPorts ?? []).map(([number, protocol]) => ({
    ...{ number: String(number), protocol },
    isInner: true,
  }));

const hasIssue = (fields: readonly Field[], failure: Failure | undefined) =>
  fields.some((field) => issuesOf(field, failure).length > 0);

/** Whether the failure has something that no field shows. */
const hasRest = (failure: Failure, fields: readonly Field[]) =>
  failure.issues.length === 0 ||
  failure.issues.some(
    (issue) =>
      !issue.path.join('.').includes('variables.') &&
      !fields.some((field) => issuesOf(field, { ...failure, issues: [issue] }).length > 0),
  );

function Folded({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  return (
    <details className="more-fields" open={isOpen || undefined}>
      <summary>{title}</summary>
      <div className="folded-fields">{children}</div>
    </details>
  );
}
