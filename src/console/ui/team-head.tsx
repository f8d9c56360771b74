import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { PageHead, Tabs } from './blocks.tsx';
import { useCrumbs } from './crumbs.ts';

const text = strings.team;

/** The head of every page of a team. */
export function TeamHead({ name, alias, tab, meta = [], actions }: TeamHeadProps) {
  const href = `/teams/${encodeURIComponent(name)}`;
  const at = (each: string) => (each === 'applications' ? href : `${href}/${each}`);
  useCrumbs({ text: alias, href }, tab === 'applications' ? null : { text: text.tabs[tab], href: at(tab) });
  return (
    <>
      <PageHead title={alias} meta={meta.map((each) => <span key={each}>{each}</span>)} actions={actions} />
      <Tabs
        label={text.pages}
        items={Object.entries(text.tabs).map(([each, label]) => ({ href: at(each), text: label }))}
        current={at(tab)}
      />
    </>
  );
}
interface TeamHeadProps {
  name: string;
  alias: string;
  tab: keyof typeof text.tabs;
  meta?: readonly string[];
  actions?: ReactNode;
}
