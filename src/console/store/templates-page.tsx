import { useQuery } from 'urql';
import { Link, useSearchParams } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import { usePages, useView } from '../api/view.ts';
import { TemplatesQuery } from '../documents/store.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { BlankCard, LoadError, Loading, PartialError, Table } from '../ui/blocks.tsx';
import { HomeHead } from '../ui/home-head.tsx';
import { LoadMore, restOf } from '../ui/load-more.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { newestFirst } from './newest.ts';
import { PublishTemplateDialog } from './publish-template.tsx';
import { text } from './strings.ts';

/** The templates of the enterprise and of the caller's teams. */
export function TemplatesPage() {
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const filter = search ? { search } : {};
  const { data, error, isLoading, retry } = useView(TemplatesQuery, filter);
  const [{ data: viewer }] = useQuery({ query: ViewerQuery });
  const pages = usePages();
  const templates = data?.templates;
  const more = templates && restOf(templates, (after) => pages.load(TemplatesQuery, { ...filter, after }));
  return (
    <>
      <HomeHead
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
      />
      <div className="filter-bar">
        <SearchField
          label={text.search}
          value={search}
          change={(value) => setParams(value ? { search: value } : {}, { replace: true })}
        />
      </div>
      {isLoading && <Loading />}
      {error && !data && <LoadError error={error} retry={retry} />}
      {data && <PartialError error={error} />}
      {templates && templates.nodes.length === 0 && (
        <BlankCard
          title={search ? text.noMatch : text.none}
          text={search ? text.noMatchText : text.noneText}
        />
      )}
      {templates && templates.nodes.length > 0 && (
        <div>
          <Table label={text.tab} columns={Object.values(text.columns)} empty={text.none}>
            {templates.nodes.map((template) => {
              const [newest] = newestFirst(template.versions.nodes.filter(({ isEnabled }) => isEnabled));
              return (
                <tr key={template.id}>
                  <td>
                    <Link className="row-link" href={`/templates/${template.uid}`}>
                      {template.name}
                    </Link>
                    {template.description && <div className="soft small clamp">{template.description}</div>}
                  </td>
                  <td>
                    {newest ? (
                      <span className="mono">{newest.version}</span>
                    ) : (
                      <Tag tone="idle">{text.notOffered}</Tag>
                    )}
                  </td>
                  <td className="soft">{template.team?.alias ?? text.enterprise}</td>
                  <td className="soft">
                    <Time at={template.updatedAt} />
                  </td>
                </tr>
              );
            })}
          </Table>
          {more && <LoadMore {...more} />}
        </div>
      )}
    </>
  );
}
