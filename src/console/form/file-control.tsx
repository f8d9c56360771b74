import { type DragEvent, useState } from 'react';
import { strings } from '../strings.ts';
import type { Field } from './values.ts';

const text = strings.form;

interface Props {
  field: Field;
  value: string;
  common: { id: string; name: string; required: boolean | undefined };
  change(value: string): void;
}

/** More than any text that the server accepts. */
const maxBytes = 1_000_000;

/** A text that is pasted, or read from a file. */
export function FileControl({ field, value, common, change }: Props) {
  const [isOver, setOver] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const readFiles = async (list: FileList | null) => {
    const files = [...(list ?? [])].slice(0, field.isMultiple ? undefined : 1);
    if (files.length === 0) return;
    const isRefused = files.reduce((sum, { size }) => sum + size, value.length) > maxBytes;
    setRefused(isRefused);
    if (isRefused) return;
    const texts = await Promise.all(files.map((file) => file.text()));
    change(
      [...(field.isMultiple && value ? [value] : []), ...texts].map((each) => each.trimEnd()).join('\n'),
    );
  };
  const over = (is: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(is);
  };
  return (
    <div className={isOver ? 'file over' : 'file'}>
      <textarea
        {...common}
        className="input mono"
        rows={5}
        autoComplete="off"
        spellCheck={false}
        placeholder={field.placeholder ?? text.fileHint}
        value={value}
        onChange={(event) => change(event.target.value)}
        onDragOver={over(true)}
        onDragLeave={over(false)}
        onDrop={(event) => {
          over(false)(event);
          void readFiles(event.dataTransfer.files);
        }}
      />
      <label className="button small">
        {field.isMultiple ? text.chooseFiles : text.chooseFile}
        <input
          type="file"
          className="visually-hidden"
          aria-label={text.fileFor(field.label)}
          multiple={field.isMultiple}
          onChange={(event) => void readFiles(event.target.files)}
        />
      </label>
      {isRefused && <p className="field-error">{text.fileTooLarge}</p>}
    </div>
  );
}
