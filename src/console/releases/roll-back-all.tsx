import { dialogOf } from '../act/dialog.tsx';
import type { DialogProps } from '../act/dialog-frame.tsx';
import { wordsOf } from '../act/words.ts';
import { planned } from './planned.tsx';
import { text } from './strings.ts';

/** Brings all components of an application back to what was deployed at a time, which is in the time zone of the browser. */
export const RollBackAllDialog = ({ appId, name, close }: DialogProps<{ appId: number; name: string }>) =>
  dialogOf(close, {
    ...wordsOf(text, 'rollBackAll', name),
    mutation: 'rollbackApplication',
    plan: 'step',
    form: {
      first: ['at', 'startStopped'],
      labels: { at: text.at, startStopped: text.startStoppedAll },
      hints: {},
      fields: {
        at: {
          control: ({ common, value, change }) => (
            <input
              {...common}
              type="datetime-local"
              step="1"
              value={String(value ?? '')}
              onChange={({ currentTarget }) => change(currentTarget.value)}
            />
          ),
        },
      },
      also: ({ at }) => ({ at: new Date(String(at)).toISOString() }),
    },
    target: { application: { appId } },
    planned,
  });
