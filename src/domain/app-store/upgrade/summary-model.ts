import { sentenceOf } from '../../event/sentence/sentence-model.ts';
import type { UpgradeChange } from '../model.ts';

/** What a change of an upgrade does, in one sentence with names. */
export function upgradeSummary({ component, kind, name, before, after }: UpgradeChange): string {
  const ofComponent = { type: 'Component', name: component, component: null };
  const isGone = kind.startsWith('REMOVE_');
  switch (kind) {
    case 'ADD_COMPONENT':
      return sentenceOf({ ...ofComponent, action: 'component.create', fields: [] });
    case 'CLOSE_COMPONENT':
      return sentenceOf({ ...ofComponent, action: 'component.close', fields: [] });
    case 'SET': {
      // Which state a component is to have is told as what it does.
      const action =
        name !== 'deployState'
          ? 'component.update'
          : after === 'running'
            ? 'component.start'
            : 'component.close';
      return sentenceOf({ ...ofComponent, action, fields: [{ field: name, before, after }] });
    }
    case 'ADD_DEPENDENCY':
    case 'REMOVE_DEPENDENCY':
      return sentenceOf({
        ...ofComponent,
        action: isGone ? 'component.delete_dependency' : 'component.add_dependency',
        fields: [{ field: 'dependencyId', before: null, after: name }],
        nameOf: (_, id) => String(id),
      });
    case 'ADD_PORT':
    case 'REMOVE_PORT':
    case 'SET_PORT': {
      // `8080 isOuter` is a field of the port 8080, whose protocol has no name.
      const [number = name, field = 'protocol'] = name.split(' ');
      const action = kind === 'SET_PORT' ? 'port.update' : isGone ? 'port.delete' : 'port.add';
      return sentenceOf({
        action,
        type: 'Port',
        name: number,
        component,
        fields: [{ field, before, after }],
      });
    }
    case 'ADD_VOLUME':
      return sentenceOf({ action: 'volume.add', type: 'Volume', name, component, fields: [] });
    case 'SET_VOLUME':
      return sentenceOf({
        ...{ action: 'volume.update', type: 'Volume', name, component },
        fields: [{ field: 'path', before, after }],
      });
    default:
      return sentenceOf({
        ...ofComponent,
        action: 'component.set_variables',
        fields: [{ field: `environment ${name}`, before, after }],
      });
  }
}
