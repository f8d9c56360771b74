import type { FragmentOf } from '../../api/graphql.ts';
import type { HttpRuleForm } from '../../documents/rules.ts';
import type { Field, Values } from '../../form/values.ts';
import { text } from './strings.ts';

const { labels, hints } = text;

export type HttpRule = FragmentOf<typeof HttpRuleForm>;

const proxy = (name: keyof typeof labels, more: Partial<Field> = {}) => ({
  [`configuration.${name}`]: { label: labels[name], group: text.proxy, hint: undefined, ...more },
});

const fields = {
  domain: { label: labels.domain, hint: hints.domain, required: true },
  path: { label: labels.path, hint: hints.path },
  certificate: {},
  opensPort: { label: labels.opensPort, hint: undefined, value: true },
  weight: { min: 1, max: 100 },
  domainHeader: { label: labels.domainHeader, hint: hints.pairs },
  domainCookie: { label: labels.domainCookie, hint: hints.pairs },
  pathRewrite: { label: labels.pathRewrite, hint: undefined },
  rewriteRules: { label: labels.rewriteRules, add: labels.addRewriteRule },
  extensions: { label: labels.extensions, hint: hints.extensions },
  ...proxy('bodySizeMB', { hint: hints.zero }),
  ...proxy('bufferCount'),
  ...proxy('bufferSizeKB'),
  ...proxy('isBuffered'),
  ...proxy('connectTimeoutSeconds'),
  ...proxy('readTimeoutSeconds'),
  ...proxy('sendTimeoutSeconds'),
  ...proxy('setHeaders', { add: labels.addHeader }),
  autoSsl: { label: labels.autoSsl, hint: hints.autoSsl },
  autoSslConfig: { label: labels.autoSslConfig, hint: hints.stored },
} satisfies { [path: string]: Partial<Field> };

const first = ['domain', 'path', 'certificate'];
const folded = Object.keys(fields).filter((name) => !first.includes(name) && name !== 'opensPort');

/** The form of a new rule, or of one that is changed. New fields of the schema are behind those above. */
export const httpForm = (
  certificate: Partial<Field>,
  { isOuter, rule }: { isOuter?: boolean; rule?: HttpRule },
) => ({
  first: rule || isOuter ? first : [...first, 'opensPort'],
  more: [...folded, 'rest'],
  omit: ['portNumber', 'opensPort'],
  fields: { ...fields, certificate: { ref: 'id', value: rule?.certificate?.id ?? '', ...certificate } },
  current: rule,
  // The headers are always sent with what else is changed.
  also: (_: Values, { configuration }: { configuration?: object }) =>
    configuration
      ? { configuration: { setHeaders: rule?.configuration.setHeaders ?? [], ...configuration } }
      : {},
});
