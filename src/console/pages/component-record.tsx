import { useView } from '../api/view.ts';
import { ComponentHeadQuery } from '../documents/record.ts';
import { Record } from '../record/record.tsx';
import { useWanted } from '../record/use-wanted.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { strings } from '../strings.ts';
import { Loading, Missing, PageHead } from '../ui/blocks.tsx';

/** The changes of a component and of everything in it. */
export function ComponentRecordPage({ uid }: { uid: string }) {
  const { data, error, isLoading, retry } = useView(ComponentHeadQuery, { by: { componentId: uid } });
  const [wanted, want] = useWanted();
  const component = data?.component;
  const application = component?.application;
  const href = `/components/${uid}`;
  useCrumbs(
    application && {
      text: application.team.alias,
      href: `/teams/${encodeURIComponent(application.team.name)}`,
    },
    application && { text: application.name, href: `/applications/${application.uid}` },
    component && { text: component.name, href },
    component && { text: strings.record.link, href: `${href}/record` },
  );
  if (isLoading) return <Loading />;
  if (!component) return <Missing error={error} retry={retry} />;
  return (
    <>
      <PageHead title={strings.record.title(component.name)} />
      <Record of={{ component: { componentId: uid } }} wanted={wanted} want={want} />
    </>
  );
}
