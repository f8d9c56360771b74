import { strings } from '../strings.ts';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';
export type StatusName = keyof typeof strings.status;

const tones: { [name in StatusName]: Tone } = {
  UNHEALTHY: 'bad',
  BUILDING: 'busy',
  BUILD_FAILED: 'bad',
  STOPPED: 'idle',
  PAUSED: 'warn',
  RUNNING: 'good',
  PARTLY_UNHEALTHY: 'warn',
  PARTLY_RUNNING: 'warn',
  STARTING: 'busy',
  STOPPING: 'busy',
  SUCCEEDED: 'good',
  NOT_DEPLOYED: 'idle',
  UNKNOWN: 'idle',
  UPGRADING: 'busy',
  WAITING: 'busy',
  EMPTY: 'idle',
  PENDING: 'idle',
  FAILED: 'bad',
  CANCELLED: 'idle',
  OK: 'good',
  FAILURE: 'bad',
  ENABLED: 'good',
  DISABLED: 'idle',
  EDITING: 'warn',
  MAINTENANCE: 'warn',
  PUBLISHED: 'good',
  UNPUBLISHED: 'idle',
};

/** A dot and a text. `of` distinguishes jobs, whose RUNNING is not final. */
export function Status({ name, of }: { name: StatusName; of?: 'job' }) {
  const tone = of === 'job' && name === 'RUNNING' ? 'busy' : tones[name];
  return <span className={`status tone-${tone} ${tone}`}>{strings.status[name]}</span>;
}

export function Tag({ tone = 'idle', children }: { tone?: Tone; children: React.ReactNode }) {
  return <span className={`tag tone-${tone}`}>{children}</span>;
}
