import { useView } from '../api/view.ts';
import { ComponentHeadQuery } from '../documents/record.ts';
import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { strings } from '../strings.ts';
import { ComponentFrame } from '../ui/component-frame.tsx';

/** The changes of a component and of everything in it. */
export function ComponentRecordPage({ uid }: { uid: string }) {
  const by = { componentId: uid };
  const { data, ...view } = useView(ComponentHeadQuery, { by });
  const [wanted, want] = useWanted();
  const { link, title } = strings.record;
  return (
    <ComponentFrame {...{ uid, view, component: data?.component, link, title }} path="record">
      {() => <Record of={{ component: by }} wanted={wanted} want={want} />}
    </ComponentFrame>
  );
}
