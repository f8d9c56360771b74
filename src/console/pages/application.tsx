import { Link } from 'wouter';
import { usePages, useTreePages, useView } from '../api/view.ts';
import {
  ApplicationComponentsQuery,
  ApplicationJobsQuery,
  ApplicationQuery,
} from '../documents/application.ts';
import { strings } from '../strings.ts';
import { ComponentFilterBar, useComponentFilter } from '../tree/component-filter.tsx';
import { FoldButtons } from '../tree/fold-buttons.tsx';
import { componentRow, rowsOf } from '../tree/rows.tsx';
import { useOpen } from '../tree/use-open.ts';
import { BlankCard, Notice } from '../ui/blocks.tsx';
import { restOf } from '../ui/load-more.tsx';
import { TreeGrid } from '../ui/tree-grid.tsx';
import { ApplicationFrame } from './application-head.tsx';
import { JobTable } from './job-table.tsx';

const text = strings.application;

/** The components of an application and their ports. */
export function ApplicationPage({ appId }: { appId: number }) {
  const chosen = useComponentFilter();
  const variables = { by: { appId }, ...chosen.variables };
  const view = useView(ApplicationQuery, variables);
  const pages = useTreePages();
  const { isOpen, toggle, openAll } = useOpen(`application/${appId}`, () => false);
  return (
    <ApplicationFrame appId={appId} tab="components" view={view}>
      {({ components }) => (
        <>
          <ComponentFilterBar filter={chosen.filter}>
            {components.nodes.length > 0 && <FoldButtons openAll={openAll} />}
          </ComponentFilterBar>
          {components.nodes.some(({ isUpgradable }) => isUpgradable) && (
            <Notice tone="busy">
              {text.upgradable} <Link href={`/applications/${appId}/upgrades`}>{text.seeUpgrades}</Link>
            </Notice>
          )}
          {components.nodes.length === 0 ? (
            <BlankCard
              title={chosen.isFiltered ? strings.tree.noMatch : strings.tree.noComponents}
              text={chosen.isFiltered ? strings.tree.noMatchText : text.emptyText}
            />
          ) : (
            <TreeGrid
              label={text.componentsLabel}
              columns={Object.values(strings.tree.columns)}
              {...rowsOf(
                pages.join(components, {
                  document: ApplicationComponentsQuery,
                  variables,
                  list: (data) => data.application?.components,
                }),
                '',
                (component) => componentRow(component, pages),
              )}
              isOpen={isOpen}
              toggle={toggle}
              see={pages.see}
            />
          )}
        </>
      )}
    </ApplicationFrame>
  );
}

export function ApplicationJobsPage({ appId }: { appId: number }) {
  const view = useView(ApplicationJobsQuery, { by: { appId } });
  const pages = usePages();
  return (
    <ApplicationFrame appId={appId} tab="jobs" view={view}>
      {({ jobs, mayCancel }) => (
        <JobTable
          jobs={jobs.nodes}
          mayCancel={mayCancel}
          more={restOf(jobs, (after) => pages.load(ApplicationJobsQuery, { by: { appId }, after }))}
        />
      )}
    </ApplicationFrame>
  );
}
