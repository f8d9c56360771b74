import '../styles/usage.css';
import { useEffect, useRef, useState } from 'react';
import type { VariablesOf } from '../api/graphql.ts';
import { useApplicationLive } from '../api/subscriptions.ts';
import { useView } from '../api/view.ts';
import { ComponentUsageQuery } from '../documents/usage.ts';
import { Section } from '../ui/blocks.tsx';
import { Choice } from '../ui/choice.tsx';
import { ComponentFrame } from '../ui/component-frame.tsx';
import { History, Traffic } from './history.tsx';
import { Present } from './present.tsx';
import { text } from './strings.ts';

type Period = VariablesOf<typeof ComponentUsageQuery>['last'];
const periods = Object.keys(text.periods) as Period[];

/** How often the figures are read again, which no subscription reports. */
const everyMs = 30_000;

/** The usage of the instances of a component, at present and over time. */
export function ComponentUsagePage({ uid }: { uid: string }) {
  const [last, choose] = useState<Period>('HOUR');
  const { data, ...view } = useView(ComponentUsageQuery, { by: { componentId: uid }, last });
  useApplicationLive(data?.component?.application.id);
  useRegularly(view.retry);
  return (
    <ComponentFrame
      {...{ uid, view, component: data?.component }}
      path="usage"
      link={text.link}
      title={text.title}
      note={text.note}
    >
      {(component) => (
        <>
          {component.usage && (
            <Section title={text.present} count={component.usage.instances.length}>
              <Present component={component} usage={component.usage} />
            </Section>
          )}
          <Section
            title={text.history}
            actions={
              <Choice
                label={text.period}
                options={periods}
                texts={text.periods}
                value={last}
                change={(chosen) => choose(periods.find((each) => each === chosen) ?? 'HOUR')}
              />
            }
          >
            {component.usageHistory && <History history={component.usageHistory} />}
            {component.trafficHistory && (
              <Traffic history={component.trafficHistory} isAlone={!component.usageHistory?.gap} />
            )}
          </Section>
        </>
      )}
    </ComponentFrame>
  );
}

/** Does something again and again while the page can be seen. */
function useRegularly(act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const timer = setInterval(() => document.hidden || latest.current(), everyMs);
    return () => clearInterval(timer);
  }, []);
}
