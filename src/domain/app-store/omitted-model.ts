import type { Row } from '../../db/tables.ts';
import type { OmittedKey, TemplateComponent } from '../../drivers/app-store/template.ts';

/** The keys of a template that say that a component needs root, in a region that does not allow it. */
export const omittedRoot = (
  components: readonly TemplateComponent[],
  { name, allowsRoot }: Pick<Row<'Region'>, 'name' | 'allowsRoot'>,
): OmittedKey[] =>
  allowsRoot
    ? []
    : components.flatMap((component, index) =>
        component.needsRoot
          ? {
              component: component.name,
              path: `apps[${index}].needs_root`,
              reason: `The region ${name} does not allow root. The component is installed without it.`,
            }
          : [],
      );
