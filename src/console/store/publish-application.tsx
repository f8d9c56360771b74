import { dialogOf } from '../act/dialog.tsx';
import type { DialogProps } from '../act/dialog-frame.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import { useFresh } from '../api/use-fresh.ts';
import { PublishQuery } from '../documents/store.ts';
import type { Field, Values } from '../form/values.ts';
import { optionsOf } from '../ui/controls.tsx';
import { newestFirst, nextVersion } from './newest.ts';
import { Published } from './publish-template.tsx';
import { text } from './strings.ts';

const { labels } = text;

type Data = ResultOf<typeof PublishQuery>;
type Template = Data['templates']['nodes'][number];

/** Publishes an application as a version of a template. */
export function PublishDialog({
  application,
  draft,
  close,
}: DialogProps<{ application: { uid: number; name: string; team: { id: string } } }>) {
  const { data } = useFresh(PublishQuery, { team: { id: application.team.id } });
  if (!data) return null;
  const isAdministrator = data.viewer.isAdministrator;
  const templates = templatesOf(data, application.team.id);
  return dialogOf(close, {
    draft,
    ...wordsOf(text, 'publish', application.name),
    mutation: 'publishApplication',
    form: (values) => formFor(values, templates, isAdministrator, application.name),
    target: { application: { appId: application.uid } },
    result: (payload) => (
      <>
        <Published payload={payload} />
        <Omitted payload={payload} />
      </>
    ),
  });
}

/** Those of the team and, for administrators, those of the enterprise. */
const templatesOf = (data: Data, teamId: string): Template[] => {
  const all = [...data.templates.nodes, ...(data.team?.templates.nodes ?? [])];
  return [...new Map(all.map((each) => [each.id, each])).values()].filter(({ team }) =>
    team ? team.id === teamId : data.viewer.isAdministrator,
  );
};

function formFor(values: Values, templates: readonly Template[], isAdministrator: boolean, name: string) {
  const chosen = templates.find(({ id }) => id === values.template);
  const [newest] = newestFirst(chosen?.versions.nodes ?? []);
  const catalogue: Partial<Field> | undefined =
    chosen || !isAdministrator
      ? undefined
      : {
          kind: 'select',
          value: 'TEAM',
          options: optionsOf(text.catalogues),
          hint: undefined,
        };
  return {
    first: ['template', 'version', 'name', ...(catalogue ? (['catalogue'] as const) : [])] as const,
    more: ['description', 'isEnabled', 'versionAlias', 'versionDescription', 'logo'],
    labels,
    fields: {
      template: {
        ref: 'id',
        kind: 'select' as const,
        value: '',
        options: [
          { value: '', text: labels.newTemplate },
          ...templates.map(({ id, name }) => ({ value: id, text: name })),
        ],
      },
      version: { value: newest ? nextVersion(newest.version) : '1.0.0' },
      name: { value: chosen?.name ?? name, hint: undefined },
      catalogue,
      description: { kind: 'area' as const },
      isEnabled: { value: true, hint: undefined },
      versionDescription: { kind: 'area' as const, hint: undefined },
    },
  };
}

function Omitted({ payload }: { payload: unknown }) {
  const { omitted } = payload as {
    omitted: readonly { component: string; kind: keyof typeof text.omittedKinds; name: string }[];
  };
  if (omitted.length === 0) return null;
  return (
    <section aria-label={text.omitted}>
      <h3>{text.omitted}</h3>
      <ul className="small">
        {omitted.map(({ component, kind, name }) => (
          <li key={`${component} ${kind} ${name}`}>
            {text.omittedItem(component, text.omittedKinds[kind], name)}
          </li>
        ))}
      </ul>
    </section>
  );
}
