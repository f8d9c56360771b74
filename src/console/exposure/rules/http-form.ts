import type { FragmentOf } from '../../api/graphql.ts';
import type { HttpRuleForm } from '../../documents/rules.ts';
import { inputForm } from '../../form/input-form.ts';
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

const order = Object.keys(fields);
/** The fields are in the order above, and new ones of the schema behind them. */
const rankOf = ({ name }: Field) => (order.includes(name) ? order.indexOf(name) : order.length);

interface Input {
  certificate?: string | null;
  configuration?: { setHeaders?: readonly { key: string; value: string }[] };
}

/** The form of a new rule, or of one that is changed. */
export function httpForm(
  certificate: Partial<Field>,
  { isOuter, rule }: { isOuter?: boolean; rule?: HttpRule },
) {
  const form = inputForm(rule ? 'UpdateHttpRuleInput' : 'CreateHttpRuleInput', {
    first: ['domain', 'path', 'certificate', ...(rule || isOuter ? [] : ['opensPort'])],
    more: 'rest',
    omit: ['portNumber', 'opensPort'],
    fields: { ...fields, certificate },
    current: rule && { ...rule, certificate: rule.certificate?.id },
  });
  return {
    fields: [...form.fields].sort((one, other) => rankOf(one) - rankOf(other)),
    input(values: Values) {
      const { certificate, configuration, ...rest } = form.input(values) as Input;
      return {
        ...rest,
        ...(certificate !== undefined && { certificate: certificate ? { id: certificate } : null }),
        // The headers are always sent with what else is changed.
        ...(configuration && {
          configuration: { setHeaders: rule?.configuration.setHeaders ?? [], ...configuration },
        }),
      };
    },
  };
}
