import { useState } from 'react';
import { itemOf, present } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { TemplateQuery } from '../documents/store.ts';
import { Fields, Loading, Missing, PageHead, PartialError } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { useCrumbs } from '../ui/crumbs.ts';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { InstallTemplateDialog } from './install-template.tsx';
import { newestFirst } from './newest.ts';
import { text } from './strings.ts';
import { TemplateComponents } from './template-components.tsx';

type Template = NonNullable<ResultOf<typeof TemplateQuery>['template']>;
type Version = Template['versions']['nodes'][number];

/** A template: its versions, what it installs, and what can be done with it. */
export function TemplatePage({ templateId }: { templateId: number }) {
  const { data, error, isLoading, retry } = useView(TemplateQuery, { by: { templateId } });
  const [isInstalling, setInstalling] = useState(false);
  const template = data?.template;
  useCrumbs(
    { text: text.tab, href: '/templates' },
    template && { text: template.name, href: `/templates/${templateId}` },
  );
  if (isLoading) return <Loading />;
  if (!template) return <Missing error={error} retry={retry} />;
  const versions = newestFirst(template.versions.nodes);
  const newest = versions.find(({ isEnabled }) => isEnabled);
  const mayChange = template.team?.mayPublish || data.viewer.isAdministrator;
  return (
    <>
      <PageHead
        title={template.name}
        meta={<span>{template.team?.alias ?? text.enterprise}</span>}
        actions={newest && <Button onClick={() => setInstalling(true)}>{text.install}</Button>}
      />
      {isInstalling && <InstallTemplateDialog template={template} close={() => setInstalling(false)} />}
      <PartialError error={error} />
      {template.description && <p className="soft">{template.description}</p>}
      <Fields items={[[text.key, <code key="key">{template.key}</code>]]} />
      <Listing
        texts={{ title: text.versions, columns: text.versionColumns, none: text.noVersions }}
        list={{ totalCount: template.versions.totalCount, nodes: versions }}
        classes={{ changed: 'soft' }}
        cells={(version) => ({
          version: (
            <>
              <span className="mono">{version.version}</span>{' '}
              {version === newest && <Tag tone="busy">{text.newest}</Tag>}
              {version.description && <div className="soft small">{version.description}</div>}
            </>
          ),
          status: (
            <Tag tone={version.isEnabled ? 'good' : 'idle'}>
              {version.isEnabled ? text.offered : text.notOffered}
            </Tag>
          ),
          requires: <Required of={version} />,
          changed: <Time at={version.updatedAt} />,
        })}
        itemsOf={mayChange && ((version) => itemsOf(template, version))}
      />
      {newest && <TemplateComponents templateKey={template.key} version={newest.version} />}
    </>
  );
}

function Required({ of }: { of: Version }) {
  if (of.requiredVariables.length === 0) return <span className="soft">{text.noValues}</span>;
  return (
    <ul className="small">
      {of.requiredVariables.map(({ componentKey, componentName, scope, name }) => (
        <li key={`${componentKey} ${scope} ${name}`}>
          {componentName}: <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}

function itemsOf({ id, name }: Template, { version, isEnabled, revision }: Version) {
  const input = { template: { id }, version, expectedRevision: revision };
  return present(
    isEnabled
      ? itemOf(`disable ${version}`, {
          ...wordsOf(text, 'disable', name, version),
          mutation: 'disableTemplateVersion',
          target: input,
        })
      : itemOf(`enable ${version}`, {
          ...wordsOf(text, 'enable', name, version),
          mutation: 'enableTemplateVersion',
          target: input,
        }),
    itemOf(`delete ${version}`, {
      ...wordsOf(text, 'delete', name, version),
      mutation: 'deleteTemplateVersion',
      target: input,
    }),
  );
}
