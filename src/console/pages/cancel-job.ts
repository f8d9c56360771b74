import { itemOf } from '../act/items.tsx';
import { CancelJob } from '../documents/jobs.ts';
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
    label: text.cancel,
    title: text.cancelTitle(text.title(text.kinds[kind], uid)),
    intro: text.cancelIntro,
    isDestructive: true,
    document: CancelJob,
    input: () => ({ job: { id }, expectedRevision: revision }),
  });
