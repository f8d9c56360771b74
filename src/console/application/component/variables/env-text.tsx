import { type ChangeEvent, useId, useRef, useState } from 'react';
import type { EnvEntry, EnvError } from '../../../../formats/env-file.ts';
import { Button } from '../../../ui/controls.tsx';
import { download } from '../../../ui/download.ts';
import { type Added, isSecret } from './edits.ts';
import { entriesIn } from './env-entries.ts';
import { text } from './strings.ts';

interface Props {
  /** Of the file that is exported. */
  name: string;
  value: string;
  errors: readonly EnvError[];
  added: readonly Added[];
  /** How many variables are not in the text. */
  restCount: number;
  areSecretsShown: boolean;
  change(value: string): void;
  showSecrets(areShown: boolean): void;
  choose(name: string, isSecret: boolean): void;
  importEntries(entries: readonly EnvEntry[]): void;
}

export function EnvText(props: Props) {
  const { name, value, errors, added, restCount, areSecretsShown } = props;
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [broken, setBroken] = useState<{ file: string; errors: readonly EnvError[] }>();
  const pick = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (!file) return;
    const { entries, errors } = entriesIn(await file.text());
    setBroken(errors.length > 0 ? { file: file.name, errors } : undefined);
    if (errors.length === 0) props.importEntries(entries);
    target.value = '';
  };
  return (
    <div className="env-text">
      <div className="row wrap">
        <label className="check small">
          <input
            type="checkbox"
            checked={areSecretsShown}
            onChange={(event) => props.showSecrets(event.target.checked)}
          />
          {text.env.showSecrets}
        </label>
        <div className="spacer" />
        <input
          ref={picker}
          type="file"
          hidden
          aria-label={text.env.import}
          onChange={(event) => void pick(event)}
        />
        <Button look="small" onClick={() => picker.current?.click()}>
          {text.env.import}
        </Button>
        <Button
          look="small"
          title={text.env.exportNote}
          onClick={() => download(`${name}.env`, 'text/plain', value)}
        >
          {text.env.export}
        </Button>
      </div>
      <label htmlFor={id} className="visually-hidden">
        {text.env.label}
      </label>
      <textarea
        id={id}
        className="input mono"
        rows={14}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={errors.length > 0}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={(event) => props.change(event.target.value)}
      />
      <div id={`${id}-hint`} className="small soft">
        <Mistakes errors={errors} />
        {broken && <Mistakes title={broken.file} errors={broken.errors} />}
        <p>
          {text.env.hint} {restCount > 0 && text.env.rest(restCount)}
        </p>
      </div>
      {added.length > 0 && (
        <fieldset className="field">
          <legend>{text.env.secrets}</legend>
          <div className="row wrap">
            {added.map((each) => (
              <label key={each.name} className="check small">
                <input
                  type="checkbox"
                  checked={isSecret(each)}
                  onChange={(event) => props.choose(each.name, event.target.checked)}
                />
                <span className="mono">{each.name}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}

function Mistakes({ title, errors }: { title?: string; errors: readonly EnvError[] }) {
  if (errors.length === 0) return null;
  return (
    <ul aria-label={title ?? text.env.errors} className="field-error">
      {errors.map(({ line, message }) => (
        <li key={`${line} ${message}`}>
          {title && `${title}, `}
          {text.env.at(line, message)}
        </li>
      ))}
    </ul>
  );
}
