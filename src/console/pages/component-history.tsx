import { useState } from 'react';
import { useView } from '../api/view.ts';
import { ComponentHistoryQuery } from '../documents/component.ts';
import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { Releases } from '../releases/section.tsx';
import { text as releaseTexts } from '../releases/strings.ts';
import { strings } from '../strings.ts';
import { Section } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { ComponentFrame } from './component-head.tsx';
import { JobTable } from './job-table.tsx';

const text = strings.component;

/** How many releases are shown at first, and at most. */
const [few, most] = [5, 100];

/** The releases and jobs of a component, and the changes of it and of everything in it. */
export function ComponentHistoryPage({ uid }: { uid: string }) {
  const [shown, show] = useState(few);
  const by = { componentId: uid };
  // What changed with a release needs the one before it.
  const view = useView(ComponentHistoryQuery, { by, first: Math.min(shown + 1, most) });
  const [wanted, want] = useWanted();
  return (
    <ComponentFrame uid={uid} tab="history" view={view}>
      {(component) => (
        <>
          <Releases
            component={component}
            shown={shown}
            note={releaseTexts.note}
            actions={
              component.releases.totalCount > shown && (
                <Button look="small" onClick={() => show(most)}>
                  {releaseTexts.all}
                </Button>
              )
            }
          />
          <Section
            title={text.jobs}
            count={component.jobs.totalCount}
            empty={component.jobs.totalCount === 0 && strings.job.none}
          >
            {component.jobs.totalCount > 0 && (
              <JobTable jobs={component.jobs.nodes} mayCancel={component.application.mayCancel} />
            )}
          </Section>
          <Section title={strings.record.link} />
          <Record of={{ component: by }} wanted={wanted} want={want} />
        </>
      )}
    </ComponentFrame>
  );
}
