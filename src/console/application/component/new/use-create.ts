import { useState } from 'react';
import { useAct } from '../../../act/act.ts';
import type { InputOf } from '../../../documents/mutation.ts';
import type { Failure } from '../../../form/failure.ts';
import type { Protocol } from './new-component-fields.ts';

interface Port {
  number: number;
  protocol: Protocol;
  isInner: boolean;
}
export interface NewComponent {
  input: InputOf<'createComponent'>;
  ports: readonly Port[];
  deploy: boolean;
}

/**
 * Makes a component, then its ports in order, then deploys it: the API has no mutation that does all of it. What was done
 * is not done again when it goes on after a failure.
 */
export function useCreate() {
  const create = useAct('createComponent');
  const addPort = useAct('addPort');
  const deploy = useAct('deployComponent');
  const [uid, setUid] = useState<string>();
  const [added, setAdded] = useState<ReadonlySet<number>>(new Set());
  const [failure, setFailure] = useState<Failure>();
  const [job, setJob] = useState<number>();
  const [isBusy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);

  async function steps({ input, ports, deploy: isDeployed }: NewComponent): Promise<Failure | undefined> {
    let made = uid;
    if (made === undefined) {
      const outcome = await create(input);
      if (outcome.failure) return outcome.failure;
      made = (outcome.payload as { component: { uid: string } }).component.uid;
      setUid(made);
    }
    const component = { componentId: made };
    for (const [index, port] of ports.entries()) {
      if (added.has(port.number)) continue;
      const outcome = await addPort({ component, ...port });
      if (outcome.failure) return atRow(outcome.failure, index);
      setAdded((before) => new Set([...before, port.number]));
    }
    if (isDeployed) {
      const outcome = await deploy({ component });
      if (outcome.failure) return outcome.failure;
      setJob(outcome.jobs[0]);
    }
    setDone(true);
    return undefined;
  }

  return {
    /** Of the component, once it is made. */
    uid,
    /** The numbers of the ports that it has. */
    added,
    failure,
    job,
    isBusy,
    isDone,
    async run(wanted: NewComponent): Promise<void> {
      if (isBusy) return;
      setBusy(true);
      setFailure(undefined);
      setFailure(await steps(wanted));
      setBusy(false);
    },
  };
}

/** The errors of a port at the row that it was entered in. */
const atRow = (failure: Failure, index: number): Failure => ({
  ...failure,
  issues:
    failure.issues.length > 0
      ? failure.issues.map(({ path, message }) => ({
          path: ['ports', String(index), ...path.filter((part) => part !== 'input')],
          message,
        }))
      : [{ path: ['ports', String(index), 'number'], message: failure.message }],
});
