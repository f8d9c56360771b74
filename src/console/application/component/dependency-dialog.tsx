import { dialogOf } from '../../act/dialog.tsx';
import { text } from '../strings.ts';
import { useComponents } from './use-components.ts';

const texts = text.dependency;

interface Props {
  appId: number;
  component: { id: string; name: string };
  /** The components that it depends on already. */
  known: readonly string[];
  draft: string;
  close(): void;
}

/** Makes a component depend on another one of its application. */
export function DependencyDialog({ appId, component, known, draft, close }: Props) {
  const components = useComponents(appId);
  if (!components) return null;
  const options = components
    .filter(({ id }) => id !== component.id && !known.includes(id))
    .map(({ id, name }) => ({ value: id, text: name }))
    .sort((one, other) => one.text.localeCompare(other.text));
  return dialogOf(close, {
    draft,
    label: text.addDependency,
    title: texts.title(component.name),
    intro: texts.intro,
    mutation: 'addDependency',
    form: {
      first: ['dependency'],
      labels: text.labels,
      fields: {
        dependency: {
          ref: 'id',
          kind: 'select',
          value: options[0]?.value ?? '',
          options,
          required: true,
          hint: options.length === 0 ? text.hints.noComponents : undefined,
        },
      },
    },
    target: { component: { id: component.id } },
  });
}

/** Confirms a dependency that was drawn on the map. */
export function DrawnDependencyDialog({ component, dependency, close }: DrawnProps) {
  return dialogOf(close, {
    label: text.addDependency,
    title: texts.title(component.name),
    intro: texts.confirm(component.name, dependency.name),
    mutation: 'addDependency',
    target: { component: { id: component.id }, dependency: { id: dependency.id } },
    done: close,
  });
}
interface DrawnProps {
  component: { id: string; name: string };
  dependency: { id: string; name: string };
  close(): void;
}
