import { Tag } from '../ui/status.tsx';
import { text } from './strings.ts';

const tones = {
  PENDING: 'busy',
  RUNNING: 'busy',
  CANCELLING: 'busy',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  TIMED_OUT: 'bad',
  CANCELLED: 'idle',
} as const;

interface Run {
  status: keyof typeof tones;
  exitCode?: number | null;
  reason?: string | null;
}

/** How a run is. */
export const RunStatus = ({ run: { status, exitCode, reason } }: { run: Run }) => (
  <Tag tone={tones[status]}>
    {[text.statuses[status], exitCode ? text.exitCode(exitCode) : null, reason].filter(Boolean).join(': ')}
  </Tag>
);
