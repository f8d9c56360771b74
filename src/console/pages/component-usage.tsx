import '../styles/usage.css';
import { useEffect, useRef, useState } from 'react';
import type { VariablesOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { ComponentUsageQuery } from '../documents/usage.ts';
import { Section } from '../ui/blocks.tsx';
import { Choice } from '../ui/choice.tsx';
import { History, Traffic } from '../usage/history.tsx';
import { Present } from '../usage/present.tsx';
import { text } from '../usage/strings.ts';
import { ComponentFrame } from './component-head.tsx';

type Period = VariablesOf<typeof ComponentUsageQuery>['last'];
const periods = Object.keys(text.periods) as Period[];

/** How often the figures are read again, which no subscription reports. */
const everyMs = 30_000;

/** The usage of the instances of a component, at present and over time. */
export function ComponentUsagePage({ uid }: { uid: string }) {
  const [last, choose] = useState<Period>('HOUR');
  const view = useView(ComponentUsageQuery, { by: { componentId: uid }, last });
  useRegularly(view.retry);
  return (
    <ComponentFrame uid={uid} tab="usage" view={view}>
      {(component) => (
        <>
          <p className="soft">{text.note}</p>
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
