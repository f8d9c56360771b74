import type { OmittedKey } from '../../drivers/app-store/template.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { objectType } from '../../graphql/schema/object-type.ts';

const OmittedTemplateKey = objectType<OmittedKey>('OmittedTemplateKey', {
  description: 'A key of a template that an install or an upgrade does not use.',
  exposes: {
    'component: String':
      'The name of the component. Null for a key of the template itself, and for keys that do not matter to components.',
    'path: String!':
      'The path of the key in the template, for example `apps[0].probes[1].mode`. `[]` stands for every item of a list.',
    'reason: String!': 'Why the key is not used.',
  },
});

/** The field `omitted` of the payload of a mutation that takes over templates. */
export const omittedResult = property(
  [OmittedTemplateKey],
  'The unused keys of the template: first up to 500 settings that components lose, then up to 200 keys that do not matter to components, such as ids.',
);
