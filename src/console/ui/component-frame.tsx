import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Loading, Missing, PageHead, PartialError } from './blocks.tsx';
import { applicationCrumbs, useCrumbs } from './crumbs.ts';

interface Shown {
  name: string;
  application: { id: string; uid: string | number; name: string; team: { name: string; alias: string } };
}

interface Props<Component extends Shown> {
  uid: string;
  component: Component | null | undefined;
  view: { error: CombinedError | undefined; isLoading: boolean; retry(): void };
  /** The last part of the address of the page. */
  path: string;
  /** The text of the link to the page. */
  link: string;
  title(component: string): string;
  note?: string;
  children(component: Component): ReactNode;
}

/** A page about one side of a component: where it is, its title, and what is shown while it is not there. */
export function ComponentFrame<Component extends Shown>({
  uid,
  component,
  view: { error, isLoading, retry },
  path,
  link,
  title,
  note,
  children,
}: Props<Component>) {
  const application = component?.application;
  const href = `/components/${uid}`;
  useCrumbs(
    ...applicationCrumbs(application),
    component && { text: component.name, href },
    component && { text: link, href: `${href}/${path}` },
  );
  if (isLoading) return <Loading />;
  if (!component) return <Missing error={error} retry={retry} />;
  return (
    <>
      <PageHead title={title(component.name)} />
      <PartialError error={error} />
      {note && <p className="soft">{note}</p>}
      {children(component)}
    </>
  );
}
