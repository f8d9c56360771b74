import type { OmittedKey } from '../../drivers/app-store/template.ts';
import { builder, type Types } from '../../graphql/schema/builder.ts';

const OmittedTemplateKey = builder.objectRef<OmittedKey>('OmittedTemplateKey').implement({
  description: 'A key of a template that an install or an upgrade does not use.',
  fields: (t) => ({
    component: t.exposeString('component', {
      nullable: true,
      description:
        'The name of the component. Null for a key of the template itself, and where nothing is lost in any component.',
    }),
    path: t.exposeString('path', {
      description:
        'The path of the key in the template, for example `apps[0].probes[1].mode`. `[]` stands for every item of a list.',
    }),
    reason: t.exposeString('reason', { description: 'Why the key is not used.' }),
  }),
});

/** The field `omitted` of the payload of a mutation that takes over templates. */
export const omittedField = <P extends { omitted: OmittedKey[] }>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, P>,
) =>
  t.field({
    type: [OmittedTemplateKey],
    description:
      'The keys of the template that are not used: first up to 500 settings that components would lose, then up to 200 keys with which nothing is lost, such as ids.',
    resolve: ({ omitted }) => omitted,
  });
