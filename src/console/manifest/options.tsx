import { useId } from 'react';
import { strings } from '../strings.ts';
import { Check, optionsOf, Select } from '../ui/controls.tsx';

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
  const id = useId();
  return (
    <>
      <Check
        label={text.prune}
        checked={options.prune === 'OWNED'}
        change={(isChecked) => change({ ...options, prune: isChecked ? 'OWNED' : 'NONE' })}
      />
      <label className="check" htmlFor={id}>
        {text.deploy}
        <Select
          id={id}
          options={optionsOf(text.deployModes)}
          value={options.deploy}
          change={(deploy) => change({ ...options, deploy: deploy as Options['deploy'] })}
        />
      </label>
      {(stopped > 0 || options.startStopped) && (
        <Check
          label={strings.act.fields.startStopped(stopped)}
          checked={options.startStopped}
          change={(isChecked) => change({ ...options, startStopped: isChecked })}
        />
      )}
    </>
  );
}
