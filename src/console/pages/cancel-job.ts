import { itemOf } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import { strings } from '../strings.ts';

const text = strings.job;

interface Job {
  id: string;
  uid: number;
  kind: keyof typeof text.kinds;
  status: string;
  revision: number;
}

/** Whether a job is waiting or at work. */
export const isUnfinished = ({ status }: Pick<Job, 'status'>) => status === 'PENDING' || status === 'RUNNING';

/** Cancels a job that has not ended. */
export const cancelItem = ({ id, uid, kind, revision }: Job) =>
  itemOf(`cancel ${id}`, {
    ...wordsOf(text, 'cancel', text.title(text.kinds[kind], uid)),
    mutation: 'cancelJob',
    target: { job: { id }, expectedRevision: revision },
  });
