import { strings } from '../strings.ts';

const text = strings.manifest;

export interface Options {
  prune: 'NONE' | 'OWNED';
  deploy: keyof typeof text.deployModes;
  startStopped: boolean;
}

interface Props {
  options: Options;
  /** How many components would be deployed if they were not stopped. */
  stopped: number;
  change(options: Options): void;
}

/** The fields of the options: whether objects that are no longer written are deleted, and which components are deployed. */
export function OptionFields({ options, stopped, change }: Props) {
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={options.prune === 'OWNED'}
          onChange={({ target }) => change({ ...options, prune: target.checked ? 'OWNED' : 'NONE' })}
        />
        {text.prune}
      </label>
      <label className="check">
        {text.deploy}
        <select
          className="input"
          value={options.deploy}
          onChange={({ target }) => change({ ...options, deploy: target.value as Options['deploy'] })}
        >
          {Object.entries(text.deployModes).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {(stopped > 0 || options.startStopped) && (
        <label className="check">
          <input
            type="checkbox"
            checked={options.startStopped}
            onChange={({ target }) => change({ ...options, startStopped: target.checked })}
          />
          {strings.act.fields.startStopped(stopped)}
        </label>
      )}
    </>
  );
}
