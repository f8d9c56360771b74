import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Loading, Missing, PageHead, PartialError, Tabs, type ViewOf } from './blocks.tsx';
import { useCrumbs } from './crumbs.ts';

const text = strings.team;

export function TeamHead({ name, alias, tab, meta = [], actions }: TeamHeadProps) {
  const href = `/teams/${encodeURIComponent(name)}`;
  const at = (each: string) => (each === 'applications' ? href : `${href}/${each}`);
  useCrumbs({ text: alias, href }, tab === 'applications' ? null : { text: text.tabs[tab], href: at(tab) });
  return (
    <>
      <PageHead title={alias} meta={meta.map((each) => <span key={each}>{each}</span>)} actions={actions} />
      <Tabs label={text.pages} texts={text.tabs} current={tab} at={at} />
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

/** A page of a team: its head, its content, and what is shown while it is not there. */
export function TeamFrame<Data extends { team: { alias: string } | null }>({
  name,
  tab,
  view,
  actions,
  children,
}: TeamFrameProps<Data>) {
  const { data, error, isLoading, retry } = view;
  const team = data?.team as NonNullable<Data['team']> | null | undefined;
  if (isLoading) return <Loading />;
  if (!data || !team) return <Missing error={error} retry={retry} />;
  return (
    <>
      <TeamHead name={name} alias={team.alias} tab={tab} actions={actions?.(team, data)} />
      <PartialError error={error} />
      {children(team, data)}
    </>
  );
}
interface TeamFrameProps<Data extends { team: object | null }> extends Pick<TeamHeadProps, 'name' | 'tab'> {
  view: ViewOf & { data: Data | undefined };
  actions?(team: NonNullable<Data['team']>, data: Data): ReactNode;
  children(team: NonNullable<Data['team']>, data: Data): ReactNode;
}
