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
  const read = async (file: File | undefined) => {
    if (!file) return;
    setRefused(file.size > maxBytes);
    if (file.size <= maxBytes) change(await file.text());
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
          void read(event.dataTransfer.files[0]);
        }}
      />
      <label className="button small">
        {text.chooseFile}
        <input
          type="file"
          className="visually-hidden"
          aria-label={text.fileFor(field.label)}
          onChange={(event) => void read(event.target.files?.[0])}
        />
      </label>
      {isRefused && <p className="field-error">{text.fileTooLarge}</p>}
    </div>
  );
}
