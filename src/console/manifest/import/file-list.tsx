import { Button, Check } from '../../ui/controls.tsx';
import type { ImportFile } from './files.ts';
import { text } from './strings.ts';

interface Props {
  files: readonly ImportFile[];
  current: string;
  open(name: string): void;
  change(files: readonly ImportFile[]): void;
}

/** The files, with those that describe the application and those beside them. */
export const FileList = ({ files, current, open, change }: Props) => (
  <ul className="import-files" aria-label={text.files}>
    {files.map(({ name, text: content, isSource }) => (
      <li key={name} className="row">
        {content === null ? (
          <span className="soft">
            {name} ({text.notText})
          </span>
        ) : (
          <Button
            look={name === current ? 'small primary' : 'small'}
            aria-pressed={name === current}
            onClick={() => open(name)}
          >
            {name}
          </Button>
        )}
        <div className="spacer" />
        {content !== null && (
          <Check
            label={text.isSource}
            checked={isSource}
            change={(checked) =>
              change(files.map((file) => (file.name === name ? { ...file, isSource: checked } : file)))
            }
          />
        )}
        <Button
          look="small"
          aria-label={text.removeName(name)}
          onClick={() => change(files.filter((file) => file.name !== name))}
        >
          {text.remove}
        </Button>
      </li>
    ))}
  </ul>
);
