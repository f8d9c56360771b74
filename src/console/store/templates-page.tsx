import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import { usePages, useView } from '../api/view.ts';
import { TemplatesQuery } from '../documents/store.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { BlankCard } from '../ui/blocks.tsx';
import { HomeList, useSearch } from '../ui/home-list.tsx';
import { restOf } from '../ui/load-more.tsx';
import { Tag } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { newestFirst } from './newest.ts';
import { PublishTemplateDialog } from './publish-template.tsx';
import { text } from './strings.ts';

/** The templates of the enterprise and of the caller's teams. */
export function TemplatesPage() {
  const search = useSearch(text.search);
  const view = useView(TemplatesQuery, search.variables);
  const [{ data: viewer }] = useQuery({ query: ViewerQuery });
  const pages = usePages();
  const templates = view.data?.templates;
  const more =
    templates && restOf(templates, (after) => pages.load(TemplatesQuery, { ...search.variables, after }));
  return (
    <HomeList
      tab="templates"
      actions={
        <ActionBar
          items={present(
            viewer?.viewer.isAdministrator && {
              key: 'publish-template',
              label: text.publishTemplate,
              open: (close) => <PublishTemplateDialog draft="publish-template" close={close} />,
            },
          )}
        />
      }
      search={search}
      view={view}
      more={more}
    >
      {templates && templates.nodes.length === 0 && (
        <BlankCard
          title={search.value ? text.noMatch : text.none}
          text={search.value ? text.noMatchText : text.noneText}
        />
      )}
      {templates && templates.nodes.length > 0 && (
        <Table
          label={text.tab}
          columns={text.columns}
          empty={text.none}
          rows={templates.nodes}
          classes={{ catalogue: 'soft', changed: 'soft' }}
          cells={(template) => {
            const [newest] = newestFirst(template.versions.nodes.filter(({ isEnabled }) => isEnabled));
            return {
              name: (
                <>
                  <Link className="row-link" href={`/templates/${template.uid}`}>
                    {template.name}
                  </Link>
                  {template.description && <div className="soft small clamp">{template.description}</div>}
                </>
              ),
              newest: newest ? (
                <span className="mono">{newest.version}</span>
              ) : (
                <Tag tone="idle">{text.notOffered}</Tag>
              ),
              catalogue: template.team?.alias ?? text.enterprise,
              changed: <Time at={template.updatedAt} />,
            };
          }}
        />
      )}
    </HomeList>
  );
}
