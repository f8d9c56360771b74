import { useView } from '../api/view.ts';
import { ComponentRunsQuery } from '../documents/component.ts';
import { Logs } from '../logs/logs.tsx';
import { Schedules } from '../runs/schedules.tsx';
import { Runs } from '../runs/section.tsx';
import { ComponentFrame } from './component-head.tsx';

/** The commands that run beside the instances of a component. */
export function ComponentRunsPage({ uid }: { uid: string }) {
  const view = useView(ComponentRunsQuery, { by: { componentId: uid } });
  return (
    <ComponentFrame uid={uid} tab="runs" view={view}>
      {(component) => (
        <>
          <Runs
            component={component}
            logOf={(run, title) => <Logs key={run} uid={uid} name={title} instance={null} run={run} />}
          />
          <Schedules component={component} />
        </>
      )}
    </ComponentFrame>
  );
}
