import { useLive } from '../api/client.ts';
import { useLiveState } from '../api/live.ts';
import { strings } from '../strings.ts';

/** Whether changes are shown as they happen. */
export function LiveState() {
  const state = useLiveState(useLive());
  if (state === 'idle' || state === 'lost') return null;
  return (
    <span className={`live status tone-${state === 'open' ? 'good' : 'idle'}`} title={strings.live[state]}>
      <span className="label">{strings.live[state]}</span>
    </span>
  );
}

export function LostConnection() {
  const state = useLiveState(useLive());
  return <div role="status">{state === 'lost' && <div className="lost">{strings.live.lost}</div>}</div>;
}
