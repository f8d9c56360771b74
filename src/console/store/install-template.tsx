import { useState } from 'react';
import { useQuery } from 'urql';
import { Dialog, type DialogProps } from '../act/dialog-frame.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { InstallTargetsQuery } from '../documents/store.ts';
import { strings } from '../strings.ts';
import { Loading } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { InstallDialog } from './install.tsx';
import { text } from './strings.ts';

type Target = ResultOf<typeof InstallTargetsQuery>['applications']['nodes'][number];

/** Installs a template into an application that is chosen first. */
export function InstallTemplateDialog({
  template,
  close,
}: DialogProps<{ template: { key: string; name: string; team: { id: string } | null } }>) {
  const [search, setSearch] = useState('');
  const [target, setTarget] = useState<Target>();
  const [{ data, fetching }] = useQuery({
    query: InstallTargetsQuery,
    variables: search ? { search } : {},
  });
  if (target) {
    return <InstallDialog application={target} team={target.team} template={template.key} close={close} />;
  }
  const offered = data?.applications.nodes.filter(
    ({ mayInstall, team }) => mayInstall && (template.team === null || template.team.id === team.id),
  );
  return (
    <Dialog title={text.installTitle(template.name)} close={close}>
      <p className="soft">{text.installIntro}</p>
      <SearchField label={text.findApplication} value={search} change={setSearch} isFocused />
      {fetching && !data && <Loading rows={3} />}
      {offered?.length === 0 && <p className="soft">{text.noApplications}</p>}
      {offered && offered.length > 0 && (
        <ul className="targets" aria-label={text.application}>
          {offered.map((each) => (
            <li key={each.id}>
              <button type="button" className="target" onClick={() => setTarget(each)}>
                <strong>{each.name}</strong>{' '}
                <span className="soft small">
                  {each.team.alias} · {each.region.alias}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <footer>
        <Button onClick={close}>{strings.common.cancel}</Button>
      </footer>
    </Dialog>
  );
}
